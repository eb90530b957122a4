/** Contract suites for whoever implements the ports of `webhooks`, and builders for tests. */
export { aFoundedEndpoint } from "./aFoundedEndpoint.ts"
export { aDelivery, anAttempt, anEndpoint, aReplay } from "./builders.ts"
export { deliveryHistoryContract } from "./deliveryHistoryContract.ts"
export { deliveryProtocolContract } from "./deliveryProtocol.ts"
export { type DeliveryStoreContractPorts, deliveryStoreContract } from "./deliveryStoreContract.ts"
export { type EndpointStoreContractPorts, endpointStoreContract } from "./endpointStoreContract.ts"
export { type EventFeedContractPorts, eventFeedContract } from "./eventFeedContract.ts"
export { type ReplayStoreContractPorts, replayStoreContract } from "./replayStoreContract.ts"
