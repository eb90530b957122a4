import type { OrganizationId, Page, PageRequest, Transaction } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { EndpointId } from "../Endpoint.ts"
import type { Replay, ReplayId } from "../Replay.ts"

/** Keeps replays of ranges. Held by `replayStoreContract`. */
export class ReplayStore extends Context.Service<
  ReplayStore,
  {
    /** Inserts a replay of an endpoint that is there. */
    readonly insert: (replay: Replay) => Effect.Effect<void, never, Transaction>
    readonly find: (organizationId: OrganizationId, id: ReplayId) => Effect.Effect<Replay | undefined>
    /** The replays of the endpoint, or of all of the organization's, that are kept, newest first. */
    readonly list: (
      of: { readonly endpointId: EndpointId } | { readonly organizationId: OrganizationId },
      page: PageRequest
    ) => Effect.Effect<Page<Replay>>
    /** As `find`; until the transaction ends nobody else changes the replay. */
    readonly findToChange: (
      organizationId: OrganizationId,
      id: ReplayId
    ) => Effect.Effect<Replay | undefined, never, Transaction>
    /** Writes how far a replay that `findToChange` found has come. */
    readonly replace: (replay: Replay) => Effect.Effect<void, never, Transaction>
    /** Forgets up to `limit` replays of any organization that had ended before `before`, and returns how many. */
    readonly prune: (before: DateTime.Utc, limit: number) => Effect.Effect<number, never, Transaction>
    /** Up to `limit` replays of any organization that have not ended, with ids behind `after`, in the order of ids. */
    readonly unfinished: (after: ReplayId | undefined, limit: number) => Effect.Effect<ReadonlyArray<Replay>>
    /** How many replays of the endpoint have not ended. */
    readonly countUnfinished: (endpointId: EndpointId) => Effect.Effect<number>
  }
>()("@agent-platform/webhooks/ReplayStore") {}
