import {
  freshId,
  type IdempotencyRequest,
  idempotently,
  JobQueue,
  type OrganizationCaller,
  UnitOfWork
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { recordEndpointAct } from "../activity.ts"
import { type EndpointId, EndpointInactive, EndpointNotFound } from "../Endpoint.ts"
import { replayRange } from "../jobs.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { type Replay, ReplayId, type ReplaySelection, TooManyReplays, UNFINISHED_REPLAYS_MAX } from "../Replay.ts"
import { readReplay } from "./readReplay.ts"

export interface StartReplay {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
  readonly since: DateTime.Utc
  /** Now, when undefined. */
  readonly until: DateTime.Utc | undefined
  readonly selection: ReplaySelection
  readonly idempotency: IdempotencyRequest | undefined
}

/**
 * Has the deliveries of a range of events sent again, by a job that gives way to live traffic, and returns the replay.
 * Fails with EndpointInactive unless the endpoint is active, and with TooManyReplays at the sixth that has not ended,
 * however many are started at once.
 */
export const startReplay = useCase("webhooks.startReplay")(function* (command: StartReplay) {
  const { actor, organizationId } = command.caller
  const endpoints = yield* EndpointStore
  const replays = yield* ReplayStore
  const queue = yield* JobQueue
  const unit = yield* UnitOfWork
  const create = Effect.gen(function* () {
    yield* endpoints.hold(organizationId)
    const endpoint = yield* endpoints.findToAct(organizationId, command.endpointId)
    if (endpoint === undefined) return yield* new EndpointNotFound()
    if (endpoint.status !== "active") return yield* new EndpointInactive({ status: endpoint.status })
    const unfinished = yield* replays.countUnfinished(endpoint.id)
    if (unfinished >= UNFINISHED_REPLAYS_MAX) return yield* new TooManyReplays({ limit: UNFINISHED_REPLAYS_MAX })
    const id = yield* freshId(ReplayId)
    const now = yield* DateTime.now
    const replay: Replay = {
      id,
      organizationId,
      endpointId: endpoint.id,
      since: command.since,
      until: command.until ?? now,
      selection: command.selection,
      state: "pending",
      stateReason: null,
      position: null,
      replayedCount: 0,
      createdAt: now,
      startedAt: null,
      finishedAt: null
    }
    yield* replays.insert(replay)
    yield* queue.enqueue(replayRange, { organization_id: organizationId, replay_id: id })
    yield* recordEndpointAct(actor, endpoint, "replayed", { replay_id: id, selection: replay.selection })
    return replay
  })
  return yield* unit.atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (replay) => replay.id,
      find: (id) => readReplay({ caller: command.caller, replayId: ReplayId.make(id) })
    })
  )
})
