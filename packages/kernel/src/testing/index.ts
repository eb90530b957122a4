/** Contract suites for whoever implements the kernel's ports, and builders for tests. */
export { aCaller, anEvent, anId } from "./builders.ts"
export { eventLogContract } from "./eventLogContract.ts"
export { idempotencyContract } from "./idempotencyContract.ts"
export { jobQueueContract } from "./jobQueueContract.ts"
export { secretBoxContract } from "./secretBoxContract.ts"
export { signalsContract } from "./signalsContract.ts"
export { unitOfWorkContract } from "./unitOfWorkContract.ts"
