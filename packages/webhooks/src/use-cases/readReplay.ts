import type { OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { type ReplayId, ReplayNotFound } from "../Replay.ts"

/** A replay of the organization, and how far it has come. Fails with ReplayNotFound. */
export const readReplay = useCase("webhooks.readReplay")(function* (query: {
  readonly caller: OrganizationCaller
  readonly replayId: ReplayId
}) {
  const replays = yield* ReplayStore
  const replay = yield* replays.find(query.caller.organizationId, query.replayId)
  return replay ?? (yield* new ReplayNotFound())
})
