/** Contract suites for whoever implements the ports of `runs`, and builders for tests. */
export { agentStoreContract } from "./agentStoreContract.ts"
export { anAgent, aRun, aSession, aTrigger, BUILT_AT } from "./builders.ts"
export { runListContract } from "./runListContract.ts"
export { runLogContract } from "./runLogContract.ts"
export { type RunStores, runStoreContract } from "./runStoreContract.ts"
