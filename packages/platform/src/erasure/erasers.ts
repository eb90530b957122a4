/** The erasers of all domains, and what each kind of erasure means to them. */
import { LedgerEraser } from "@agent-platform/billing"
import { FeedEraser } from "@agent-platform/feeds"
import {
  addCounts,
  type Erased,
  type ErasedPortion,
  type Eraser,
  type Erasure,
  RecordEraser
} from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import { AgentId, RunEraser, RunId, type RunSelection, SessionId } from "@agent-platform/runs"
import { DeliveryEraser } from "@agent-platform/webhooks"
import { Effect, Schema } from "effect"

/** The subject of an erasure. */
export type ErasureSubject = Pick<Erasure, "kind" | "organizationId" | "workspaceId" | "subjectId">

/** There is nothing of this kind and id in reach of the caller, or nothing any more. */
export class NothingToErase extends Schema.TaggedError<NothingToErase>()("NothingToErase", {}) {}

/** In the order in which rows go: what would still be sent first, and what others refer to last. */
export const allErasers: Effect.Effect<
  ReadonlyArray<Eraser>,
  never,
  RecordEraser | DeliveryEraser | FeedEraser | LedgerEraser | RunEraser | KeyEraser
> = Effect.all([RecordEraser, DeliveryEraser, FeedEraser, LedgerEraser, RunEraser, KeyEraser])

/** The runs of a run, a session, an agent or a workspace; undefined for the other kinds. */
export const selectionOf = ({ kind, subjectId, workspaceId }: ErasureSubject): RunSelection | undefined => {
  if (workspaceId === null) return undefined
  switch (kind) {
    case "run":
      return { workspaceId, runId: RunId.make(subjectId) }
    case "session":
      return { workspaceId, sessionId: SessionId.make(subjectId) }
    case "agent":
      return { workspaceId, agentId: AgentId.make(subjectId) }
    default:
      return undefined
  }
}

/** Erases by every eraser what it has of this. */
export const eraseAll = Effect.fnUntraced(function* (what: Erased, max: number) {
  const portions: Array<ErasedPortion> = []
  for (const eraser of yield* allErasers) portions.push(yield* eraser.erase(what, max))
  const all: ErasedPortion = {
    counts: addCounts(...portions.map(({ counts }) => counts)),
    isOver: portions.every(({ isOver }) => isOver)
  }
  return all
})
