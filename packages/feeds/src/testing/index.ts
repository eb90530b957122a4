/**
 * Contract suites for adapters of the ports of `feeds`. Suites go without the test services of vitest: the clocks of stores cannot
 * be set, so they take the real one.
 */
export { type ActivityFeedContractPorts, activityFeedContract } from "./activityFeedContract.ts"
export { type ActivityHistoryContractPorts, activityHistoryContract } from "./activityHistoryContract.ts"
export { feedEraserContract } from "./feedEraserContract.ts"
export { type NotificationFeedContractPorts, notificationFeedContract } from "./notificationFeedContract.ts"
export { notificationModelContract } from "./notificationModelContract.ts"
