/**
 * Loaded into each app by `npm start` before the app's own main file, for two things.
 *
 * An app whose starter is gone, killed or not, drains and ends as if it had been sent SIGTERM, instead of living on unseen.
 *
 * An app that is started before the database loads its modules meanwhile, the longest part of its start, and waits for the message
 * with the rest of its environment.
 */
import { pathToFileURL } from "node:url"

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

const warmUp = process.env.AGENT_PLATFORM_WARM_UP
if (warmUp !== undefined) {
  delete process.env.AGENT_PLATFORM_WARM_UP
  // The modules come first: Node keeps messages until somebody listens, and one that a module waits for would be lost to a listener
  // that was here before it.
  if (warmUp !== "") await import(pathToFileURL(warmUp).href)
  const { promise, resolve } = Promise.withResolvers<void>()
  const onMessage = (message: { readonly environment?: NodeJS.ProcessEnv }) => {
    if (message.environment === undefined) return
    process.off("message", onMessage)
    Object.assign(process.env, message.environment)
    resolve()
  }
  process.on("message", onMessage)
  await promise
}

// Listening alone would keep a finished app from ending.
process.channel?.unref()
