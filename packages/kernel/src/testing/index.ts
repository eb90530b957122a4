/**
 * Contract suites for adapters of the kernel's ports, and builders for tests. Suites go without the test services of vitest: the
 * clocks of stores cannot be set, so they take the real one.
 */
export { aCaller, aNotification, anActivity, anErasure, anEvent, anId, aTemplate } from "./builders.ts"
export { type EgressReceivers, egressContract } from "./egressContract.ts"
export { erasureStoreContract } from "./erasureStoreContract.ts"
export { eventLogContract } from "./eventLogContract.ts"
export { type FeedReading, feedLogContract } from "./feedLogContract.ts"
export { fingerprintKeyStoreContract } from "./fingerprintKeyStoreContract.ts"
export { idempotencyContract } from "./idempotencyContract.ts"
export { jobHistoryContract } from "./jobHistoryContract.ts"
export { jobQueueContract } from "./jobQueueContract.ts"
export { outboxContract } from "./outboxContract.ts"
export { outboxProtocolContract } from "./outboxProtocol.ts"
export { overtaking, TransactionsOverlap } from "./overtaking.ts"
export { recordEraserContract } from "./recordEraserContract.ts"
export { secretBoxContract } from "./secretBoxContract.ts"
export { signalsContract } from "./signalsContract.ts"
export { aTenant, type Tenant, Tenants } from "./Tenants.ts"
export { templateStoreContract } from "./templateStoreContract.ts"
export { unitOfWorkContract } from "./unitOfWorkContract.ts"
