/** The process of every app: settings, logging, readiness, a graceful stop. */
export {
  admittedBy,
  EGRESS_SETTINGS,
  egressAllow,
  egressAllowLoopback,
  layerEgress,
  readEgress
} from "./egressSettings.ts"
export { layerCrypto } from "./layerCrypto.ts"
export { loadRecipes } from "./loadRecipes.ts"
export { layerMetrics, PAGE_MEASURES, type Reading } from "./Metrics.ts"
export * as PinoLogger from "./PinoLogger.ts"
export { PLATFORM_KEY_SETTINGS, readPlatformKeys } from "./platformKeySettings.ts"
export { PROCESS_MEASURES } from "./processMeasures.ts"
export { QUOTA_SETTINGS } from "./quotaSettings.ts"
export {
  CommandFailed,
  CommandRefused,
  EXIT_CONFIGURATION,
  EXIT_FAILED,
  EXIT_REFUSED,
  EXIT_USAGE,
  exitCodeOf,
  inDatabaseSchema,
  runApp,
  runCommand,
  runService,
  serve,
  UsageInvalid
} from "./runApp.ts"
export {
  parseInteger,
  read,
  readAll,
  type Setting,
  SettingInvalid,
  setting,
  settingOr,
  settingsIn,
  wholeSetting
} from "./Setting.ts"
export * as settings from "./settings.ts"
export { TraceRatio } from "./Tracing.ts"
export { VERSION } from "./version.ts"
