import {
  type Actor,
  atomic,
  type Erasure,
  ErasureId,
  ErasureStore,
  freshId,
  type IdempotencyRequest,
  idempotently,
  JobQueue,
  QuotaExceeded,
  Quotas,
  WorkspaceId
} from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import { AgentId, AgentStore, archiveAgent, RunEraser, RunId, RunReader, SessionId } from "@agent-platform/runs"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { type ErasureSubject, NothingToErase } from "./erasers.ts"
import { eraseSubject } from "./jobs.ts"
import { findErasure } from "./readErasure.ts"
import { recordErasure } from "./recordErasure.ts"

export interface AskErasure extends ErasureSubject {
  readonly actor: Actor
  readonly idempotency: IdempotencyRequest | undefined
}

/** Closes what is to be erased, so that nothing new can be made in it. False when there is no such thing. */
const close = Effect.fnUntraced(function* ({ actor, kind, organizationId, subjectId, workspaceId }: AskErasure) {
  const keys = yield* KeyEraser
  const runs = yield* RunEraser
  const now = yield* DateTime.now
  // The workspace's id is null for the last three kinds, which do not use it.
  const inWorkspace = { actor, organizationId, workspaceId: workspaceId as WorkspaceId }
  switch (kind) {
    // Nothing is to be closed: an ended run gets nothing new, and the worker cancels an unfinished one.
    case "run":
      return (
        (yield* RunReader.use((reader) => reader.find(inWorkspace.workspaceId, RunId.make(subjectId)))) !== undefined
      )
    case "session":
      return yield* runs.closeSession(inWorkspace.workspaceId, SessionId.make(subjectId))
    case "agent": {
      const agentId = AgentId.make(subjectId)
      const known = yield* AgentStore.use((agents) => agents.recall(inWorkspace.workspaceId, agentId))
      if (known === undefined) return false
      yield* Effect.orDie(archiveAgent({ caller: inWorkspace, agentId }))
      return true
    }
    case "workspace": {
      const id = WorkspaceId.make(subjectId)
      const kept = yield* keys.findWorkspace(organizationId, id)
      if (kept === undefined || kept.erasedAt !== null) return false
      yield* keys.closeWorkspace(organizationId, id, now)
      return true
    }
    case "organization": {
      const kept = yield* keys.findOrganization(organizationId)
      if (kept === undefined || kept.erasedAt !== null) return false
      yield* keys.closeOrganization(organizationId, now)
      return true
    }
    case "person": {
      const person = yield* keys.holdPerson(organizationId, subjectId)
      if (person !== undefined) yield* keys.endSessions(person)
      return person !== undefined
    }
  }
})

/**
 * Asks for the erasure of something: closes it at once, and has the rest done by a job. If it is being erased already, returns that
 * erasure. Fails with NothingToErase if it does not exist or was erased, and with QuotaExceeded.
 */
export const askErasure = useCase("platform.askErasure")(function* (command: AskErasure) {
  const store = yield* ErasureStore
  const queue = yield* JobQueue
  const { actor, kind, organizationId, subjectId, workspaceId } = command

  const create = Effect.gen(function* () {
    const { erasures: limit } = yield* Quotas
    const count = yield* store.holdCount(organizationId, limit)
    const unfinished = yield* store.findUnfinished(organizationId, kind, subjectId)
    if (unfinished !== undefined && unfinished.workspaceId === workspaceId) return unfinished
    if (count >= limit) return yield* new QuotaExceeded({ quota: "erasures", of: "organization", limit })
    if (!(yield* close(command))) return yield* new NothingToErase()
    const erasure: Erasure = {
      id: yield* freshId(ErasureId),
      organizationId,
      workspaceId,
      kind,
      subjectId,
      requestedBy: { type: actor.type, id: actor.id },
      state: "pending",
      counts: {},
      turns: 0,
      createdAt: yield* DateTime.now,
      startedAt: null,
      finishedAt: null
    }
    yield* store.insert(erasure)
    yield* recordErasure("erasure_requested", erasure)
    yield* queue.enqueue(eraseSubject, { organization_id: organizationId, erasure_id: erasure.id, turn: 0 })
    return erasure
  })

  return yield* idempotently(command.idempotency, {
    create,
    idOf: (erasure) => erasure.id,
    find: (id) => findErasure(organizationId, ErasureId.make(id))
  })
}, atomic)
