/**
 * Contract suites for the ports of `webhooks`, and builders for tests. Suites go without the test services of vitest: the
 * clocks of stores cannot be set, so they take the real one.
 */
export { aFoundedEndpoint } from "./aFoundedEndpoint.ts"
export { aDelivery, anAttempt, anEndpoint, aReplay } from "./builders.ts"
export { type DeliveryContractPorts, deliveryContract } from "./deliveryContract.ts"
export { type DeliveryEraserContractPorts, deliveryEraserContract } from "./deliveryEraserContract.ts"
export { deliveryHistoryContract } from "./deliveryHistoryContract.ts"
export { deliveryProtocolContract } from "./deliveryProtocol.ts"
export { type DeliveryStore, deliveryStore, portsOf, useDeliveryStore } from "./deliveryStore.ts"
export { type EndpointStoreContractPorts, endpointStoreContract } from "./endpointStoreContract.ts"
export { type EventDispatchContractPorts, eventDispatchContract } from "./eventDispatchContract.ts"
export { type EventFeedContractPorts, eventFeedContract } from "./eventFeedContract.ts"
export { type ReplayStoreContractPorts, replayStoreContract } from "./replayStoreContract.ts"
