/** Contract suites for whoever implements the ports of `keys`, and builders for tests. */
export { type ApiKeyStoreContractPorts, apiKeyStoreContract } from "./apiKeyStoreContract.ts"
export { aHash, anApiKey, anOrganization, aWorkspace } from "./builders.ts"
export { tenancyStoreContract } from "./tenancyStoreContract.ts"
