/**
 * Loaded into each app by `npm start` before its own code: an app whose starter is gone, killed or not, drains and ends
 * as if it had been sent SIGTERM, instead of living on unseen.
 */
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
// Listening alone would keep a finished app from ending.
process.channel?.unref()
