/** Where generator functions may be written: see docs/decisions/0024. A pure function over text, as the walls are. */
import { lineAt, readSource } from "./source.ts"
import type { TextFile } from "./walls.ts"

/** Where nearly everything runs for each run, call, event or request. */
const BUSY = /^packages\/(?:(?:billing|runs|webhooks)\/src\/use-cases|models\/src\/chat)\//

/** What people do now and then, or a clock: it may be written as it reads best. */
const SELDOM = [
  "billing/src/use-cases/analytics/rerateUsage.ts",
  "billing/src/use-cases/analytics/rollUpUsage.ts",
  "billing/src/use-cases/removePrice.ts",
  "billing/src/use-cases/setPrice.ts",
  "runs/src/use-cases/archiveAgent.ts",
  "runs/src/use-cases/cancelSession.ts",
  "runs/src/use-cases/createAgent.ts",
  "runs/src/use-cases/createWebhook.ts",
  "runs/src/use-cases/deleteWebhook.ts",
  "runs/src/use-cases/signRecord.ts",
  "runs/src/use-cases/updateAgent.ts",
  "webhooks/src/use-cases/changeEndpoint.ts",
  "webhooks/src/use-cases/continueReplay.ts",
  "webhooks/src/use-cases/deleteEndpoint.ts",
  "webhooks/src/use-cases/registerEndpoint.ts",
  "webhooks/src/use-cases/replayDelivery.ts",
  "webhooks/src/use-cases/rotateSecret.ts",
  "webhooks/src/use-cases/sendTestEvent.ts",
  "webhooks/src/use-cases/startReplay.ts"
].map((path) => `packages/${path}`)

/** Where the call ends in which something stands: the first bracket after it that closes more than was opened. */
const endOfCall = (code: string, from: number): number => {
  let depth = 0
  for (let at = from; at < code.length; at++) {
    const character = code.charAt(at)
    if ("([{".includes(character)) depth += 1
    else if (")]}".includes(character) && --depth < 0) return at
  }
  return code.length
}

/** Generator functions of a busy place that are made anew by each call: those of `Effect.gen`, and those inside of another. */
export const generatorViolations = ({ path, text }: TextFile): ReadonlyArray<string> => {
  if (!BUSY.test(path) || SELDOM.includes(path)) return []
  const source = readSource(text)
  const generators = [...source.code.matchAll(/(?<![\w$])function\s*\*/g)].map(({ index }) => index)
  const inner = generators.filter((one) =>
    generators.some((outer) => outer < one && one < endOfCall(source.code, outer))
  )
  const built = generators.filter((one) => /\bEffect\.gen\(\s*$/.test(source.code.slice(0, one)))
  return [...new Set([...built, ...inner])].map(
    (at) =>
      `${path}:${lineAt(source, at)} makes a generator function for each call: write it once, outside of what is called`
  )
}

/** Those that are said to run seldom and are not there, or would do without being named. */
export const needlesslySeldom = (files: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  SELDOM.filter((path) => {
    const text = files.find((file) => file.path === path)?.text
    return text === undefined || !/\bEffect\.(?:gen|fnUntraced)\(/.test(text)
  })
