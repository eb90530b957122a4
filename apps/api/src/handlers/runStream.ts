/** A workspace's runs, as a stream. */
import { parseId } from "@agent-platform/kernel"
import { AgentId, type ChangedRun, RunFeedPosition, type RunStatus, Runs } from "@agent-platform/runs"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { workspaceCaller } from "../callers.ts"
import { invalid } from "../edge/problems.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams, type StreamedEvent } from "../streams.ts"
import { runView } from "../views/runView.ts"
import { statusFilter } from "./runList.ts"

interface StreamCall {
  readonly headers: { readonly "last-event-id"?: string }
  readonly query: { readonly status?: RunStatus | "paused"; readonly agent_id?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const streamed = ({ position, run }: ChangedRun): StreamedEvent => ({
  id: position,
  event: { type: "run", data: JSON.stringify(runView(run)) }
})

const notFollowed = () => invalid("Last-Event-ID", "must be the id of an event of this stream")

/** Makes the handler for the stream of a workspace's runs. A malformed agent id finds no runs, like an unknown one. */
export const makeFollowRunsHandler = Effect.gen(function* () {
  const runs = yield* Runs
  const streams = yield* makeStreams
  const { open } = yield* LongAnswers
  return Effect.fnUntraced(function* ({ headers, query, request }: StreamCall) {
    const caller = yield* workspaceCaller
    const given = headers["last-event-id"]?.trim() ?? ""
    const from = given === "" ? undefined : RunFeedPosition.make(given)
    const agentId = query.agent_id === undefined ? undefined : parseId(AgentId, query.agent_id)
    const findsNothing = query.agent_id !== undefined && agentId === undefined
    const untilRefused = Effect.ignore(yield* open)
    const { beginning, changes } = yield* runs
      .followRuns({ caller, from, filter: { agentId, ...statusFilter(query.status) } })
      .pipe(Effect.catchTag("RunPositionUnknown", notFollowed))
    const opening = given === "" ? Stream.succeed({ id: beginning }) : Stream.empty
    const events = findsNothing ? Stream.never : Stream.map(changes, streamed)
    return streams.events(request, Stream.concat(opening, events), untilRefused)
  })
})
