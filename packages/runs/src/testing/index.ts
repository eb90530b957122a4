/** Contract suites for whoever implements the ports of `runs`, and builders for tests. */
export { agentStoreContract } from "./agentStoreContract.ts"
export { anAgent, aRun, aSession, aTrigger, BUILT_AT } from "./builders.ts"
export type { RunStores } from "./givenRuns.ts"
export { runListContract } from "./runListContract.ts"
export { runLogContract } from "./runLogContract.ts"
export { runQueueContract } from "./runQueueContract.ts"
export { runStoreContract } from "./runStoreContract.ts"
export { sessionContract } from "./sessionContract.ts"
