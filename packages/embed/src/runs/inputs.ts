/** Checks of those inputs that the domain takes from its callers without a check. */
import {
  DURATION_SECONDS_MAX,
  type IfBusy,
  INPUT_BYTES_MAX,
  RunId,
  readPosition,
  SessionId
} from "@agent-platform/runs"
import type { Schema } from "effect"
import {
  invalid,
  makeIdReader,
  type PageOf,
  readDate,
  readMetadata,
  readPage,
  readText,
  readWhole
} from "../internal/inputs.ts"
import { jsonOf } from "../internal/json.ts"
import type { RunSettings } from "./EmbeddedRuns.ts"
import { NO_RUN, NO_SESSION } from "./errors.ts"

const TAGS_MAX = 16
const TAG_LENGTH_MAX = 64
const MESSAGE_LENGTH_MAX = 100_000
const REASON_LENGTH_MAX = 500
const PRIORITY_MAX = 100
const ATTEMPTS_MAX = 10
const TTL_SECONDS_MAX = 30 * 86_400

export const readRunId = makeIdReader(RunId, NO_RUN)

export const readSessionId = makeIdReader(SessionId, NO_SESSION)

/** A JSON value, null for none. */
export const readJson = (name: string, value: unknown): Schema.Json => {
  const json = jsonOf(value ?? null, INPUT_BYTES_MAX)
  if ("value" in json) return json.value
  throw invalid(`${name} is a JSON value: ${json.why}`)
}

export const readMessage = (message: string): string => readText("message", message, 0, MESSAGE_LENGTH_MAX)

export const readReason = (reason: string | null): string | null =>
  reason === null ? null : readText("reason", reason, 0, REASON_LENGTH_MAX)

const readTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Array.isArray(tags) || tags.length > TAGS_MAX) throw invalid(`tags is a list of at most ${TAGS_MAX} texts`)
  return tags.map((tag) => readTag(tag))
}

export const readTag = (tag: string): string => readText("A tag", tag, 1, TAG_LENGTH_MAX)

const readIfBusy = (ifBusy: IfBusy): IfBusy => {
  if (ifBusy === "enqueue" || ifBusy === "reject" || ifBusy === "interrupt") return ifBusy
  throw invalid('ifBusy is "enqueue", "reject" or "interrupt"')
}

/** The given settings of a run, as the domain has them. */
export const readSettings = ({
  ifBusy,
  maxAttempts,
  maxDurationSeconds,
  metadata,
  priority,
  runAt,
  session,
  tags,
  ttlSeconds
}: RunSettings) => ({
  ...(session === undefined ? {} : { sessionId: readSessionId(session) }),
  ...(ifBusy === undefined ? {} : { ifBusy: readIfBusy(ifBusy) }),
  ...(runAt === undefined ? {} : { runAt: readDate("runAt", runAt) }),
  ...(ttlSeconds === undefined ? {} : { ttlSeconds: readWhole("ttlSeconds", ttlSeconds, 1, TTL_SECONDS_MAX) }),
  ...(maxAttempts === undefined ? {} : { maxAttempts: readWhole("maxAttempts", maxAttempts, 1, ATTEMPTS_MAX) }),
  ...(maxDurationSeconds === undefined
    ? {}
    : { maxDurationSeconds: readWhole("maxDurationSeconds", maxDurationSeconds, 1, DURATION_SECONDS_MAX) }),
  ...(priority === undefined ? {} : { priority: readWhole("priority", priority, -PRIORITY_MAX, PRIORITY_MAX) }),
  ...(tags === undefined ? {} : { tags: readTags(tags) }),
  ...(metadata === undefined ? {} : { metadata: readMetadata(metadata) })
})

/** A page of runs, which goes on from a position and not from an id. */
export const readRunPage = (page: PageOf) => readPage(page, (text) => readPosition(text) !== undefined)
