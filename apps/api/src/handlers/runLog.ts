/** A run's log, as a stream or as a page. Spec: Runs and sessions, logs. */

import { ServerResponse } from "node:http"
import { runs as contract } from "@agent-platform/contract"
import { parseId, type WorkspaceCaller } from "@agent-platform/kernel"
import { type RunEvent, RunId, Runs } from "@agent-platform/runs"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Effect, Schema, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { Draining } from "../Draining.ts"
import { preferred } from "../edge/accept.ts"
import { invalid, notFound } from "../edge/problems.ts"
import { KeyWatch } from "../KeyWatch.ts"
import { runEventView } from "../views/runView.ts"

/** A stream says something at least this often, so that nobody on the way takes it for dead. */
export const KEEP_ALIVE_SECONDS = 15

/** When a client whose stream ended early should come back: soon, and to another process. */
const RETRY_MILLIS = 1_000

const ROUTE = "GET /api/v1/runs/:run_id/logs"

interface LogCall {
  readonly params: { readonly run_id: string }
  readonly query: { readonly after: number; readonly limit: number; readonly cursor?: string }
  readonly headers: { readonly "last-event-id"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const encodeEvent = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(contract.RunEventView)))

const eventJson = (event: RunEvent): string => encodeEvent(runEventView(event))

const sseFrame = (event: RunEvent): string => `id: ${event.seq}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`

/** The last sequence number seen; a reconnecting stream says it better than the address that it keeps using. */
const seenBefore = (call: LogCall) => {
  const lastEventId = call.headers["last-event-id"]?.trim() ?? ""
  if (lastEventId === "") return Effect.succeed(call.query.after)
  return /^\d{1,9}$/.test(lastEventId)
    ? Effect.succeed(Number(lastEventId))
    : Effect.fail(invalid("Last-Event-ID", "must be a sequence number of this log"))
}

/** Sends the status and the headers at once: the first event may be a while. */
const flushed = (request: HttpServerRequest.HttpServerRequest) =>
  Stream.fromEffectDrain(
    Effect.sync(() => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response instanceof ServerResponse) response.flushHeaders()
    })
  )

/** What breaks a stream off cannot be answered any more, only noted. The client comes back with what it saw last. */
const noteBreak = (cause: Cause.Cause<never>) =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logWarning("A stream of a run's log broke off", cause)

/** The handler for a run's log in all of its formats. */
export const makeRunLogHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const cursors = yield* makeCursors
  const draining = yield* Draining

  const page = Effect.fnUntraced(function* (call: LogCall, caller: WorkspaceCaller, runId: RunId) {
    const { after, cursor, limit } = call.query
    const scope = { route: ROUTE, owner: caller.workspaceId, filters: { run_id: runId, after } }
    const from = Number((yield* cursors.read(scope, cursor)) ?? after)
    const { items, lastSeq } = yield* runs.readRunLog({ caller, runId, after: from, limit })
    const last = items.at(-1)
    const more = last !== undefined && last.seq < lastSeq
    return {
      items: items.map(runEventView),
      nextCursor: cursors.write(scope, more ? String(last.seq) : undefined),
      lastSeq
    }
  })

  /** Ends what goes on for long: when the key does not hold any more, and when this process stops. */
  const untilEnded = <A>(events: Stream.Stream<A>, ended: Effect.Effect<void>) =>
    Stream.interruptWhen(events, Effect.raceFirst(ended, draining.begun))

  const eventStream = (events: Stream.Stream<RunEvent>, ended: Effect.Effect<void>) => {
    const keepAlive = Stream.tick(`${KEEP_ALIVE_SECONDS} seconds`).pipe(Stream.drop(1), Stream.as(": keep-alive\n\n"))
    const frames = Stream.merge(Stream.map(events, sseFrame), keepAlive, { haltStrategy: "left" })
    const farewell = Stream.suspend(() =>
      draining.isBegun() ? Stream.succeed(`: this server is going away\nretry: ${RETRY_MILLIS}\n\n`) : Stream.empty
    )
    return Stream.concat(untilEnded(frames, ended), farewell)
  }

  return Effect.fnUntraced(
    function* (call: LogCall) {
      const caller = yield* workspaceCaller
      const runId = parseId(RunId, call.params.run_id)
      if (runId === undefined) return yield* notFound()
      const format = preferred(call.request.headers["accept"], contract.LOG_FORMATS)
      if (format === "application/json") return yield* page(call, caller, runId)
      const after = yield* seenBefore(call)
      const events = yield* runs.followRunLog({ caller, runId, after })
      const ended = Effect.ignore(yield* KeyWatch)
      const lines =
        format === "application/x-ndjson"
          ? untilEnded(
              Stream.map(events, (event) => `${eventJson(event)}\n`),
              ended
            )
          : eventStream(events, ended)
      const body = Stream.concat(flushed(call.request), lines).pipe(Stream.tapCause(noteBreak), Stream.encodeText)
      return HttpServerResponse.stream(body, {
        contentType: format ?? "text/event-stream",
        headers: { "x-accel-buffering": "no" }
      })
    },
    Effect.catchTag("RunNotFound", () => Effect.fail(notFound()))
  )
})
