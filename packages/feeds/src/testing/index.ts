/** Contract suites for adapters of the ports of `feeds`. */
export { type ActivityFeedContractPorts, activityFeedContract } from "./activityFeedContract.ts"
export { type ActivityHistoryContractPorts, activityHistoryContract } from "./activityHistoryContract.ts"
export { feedEraserContract } from "./feedEraserContract.ts"
export { type NotificationFeedContractPorts, notificationFeedContract } from "./notificationFeedContract.ts"
export { notificationModelContract } from "./notificationModelContract.ts"
