/** A run's log, as a stream or as a page. Spec: Run log. */
import { runs as contract } from "@agent-platform/contract"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { type RunEvent, RunId, Runs } from "@agent-platform/runs"
import { Effect, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { preferred } from "../edge/accept.ts"
import { invalid, notFound } from "../edge/problems.ts"
import { idOf } from "../ids.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams, type StreamedEvent } from "../streams.ts"
import { callerViews } from "../views/callerViews.ts"
import { makeRunMessage } from "./runMessage.ts"

const ROUTE = "GET /api/v1/runs/:run_id/logs"

/** A request for a log. */
export interface LogCall {
  readonly params: { readonly run_id: string }
  readonly query: {
    readonly after: number
    readonly limit: number
    readonly cursor?: string
    readonly format?: typeof contract.LogForm.Type
  }
  readonly headers: { readonly "last-event-id"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const encodeEvent = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(contract.RunEventView)))

const streamed = (event: RunEvent): StreamedEvent => ({
  id: String(event.seq),
  event: { type: event.type, data: encodeEvent(event) }
})

/** The last sequence number that the client has seen. Last-Event-ID goes first: a reconnecting client keeps its old address. */
const seenBefore = (call: LogCall) => {
  const lastEventId = call.headers["last-event-id"]?.trim() ?? ""
  if (lastEventId === "") return Effect.succeed(call.query.after)
  return /^\d{1,9}$/.test(lastEventId)
    ? Effect.succeed(Number(lastEventId))
    : Effect.fail(invalid("Last-Event-ID", "must be a sequence number of this log"))
}

/** Makes the handler for a run's log in all of its formats. */
export const makeRunLogHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const cursors = yield* makeCursors
  const streams = yield* makeStreams
  const { open } = yield* LongAnswers
  const message = yield* makeRunMessage

  const page = Effect.fnUntraced(function* (call: LogCall, caller: WorkspaceCaller, runId: RunId) {
    const { after, cursor, limit } = call.query
    const scope = { route: ROUTE, owner: caller.workspaceId, filters: { run_id: runId, after } }
    const from = Number((yield* cursors.read(scope, cursor)) ?? after)
    const { items, lastSeq } = yield* runs.readRunLog({ caller, runId, after: from, limit })
    const last = items.at(-1)
    const views = yield* callerViews
    const hasMore = last !== undefined && last.seq < lastSeq
    return {
      items: items.map(views.event),
      nextCursor: cursors.write(scope, hasMore ? String(last.seq) : undefined),
      lastSeq
    }
  })

  return Effect.fnUntraced(
    function* (call: LogCall) {
      const caller = yield* workspaceCaller
      const runId = yield* idOf(RunId, call.params.run_id)
      if (call.query.format === "ui-message") return yield* message(call, caller, runId)
      const format = preferred(call.request.headers["accept"], contract.LOG_FORMATS)
      if (format === "application/json") return yield* page(call, caller, runId)
      const after = yield* seenBefore(call)
      const untilRefused = Effect.ignore(yield* open)
      const views = yield* callerViews
      const events = Stream.map(yield* runs.followRunLog({ caller, runId, after }), views.event)
      return format === "application/x-ndjson"
        ? streams.lines(
            call.request,
            Stream.map(events, (event) => `${encodeEvent(event)}\n`),
            untilRefused
          )
        : streams.events(call.request, Stream.map(events, streamed), untilRefused)
    },
    Effect.catchTag("RunNotFound", notFound)
  )
})
