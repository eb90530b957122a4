import { Context, type Effect } from "effect"
import type { Erasure, ErasureId, ErasureKind } from "../Erasure.ts"
import type { OrganizationId } from "../Ids.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Keeps erasures, for ever: they hold nothing personal. Held by `erasureStoreContract`. */
export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    /** Holds a subject until the transaction ends, against everybody else: two requests at once begin one erasure. */
    readonly hold: (kind: ErasureKind, subjectId: string) => Effect.Effect<void, never, Transaction>
    readonly insert: (erasure: Erasure) => Effect.Effect<void, never, Transaction>
    readonly find: (organizationId: OrganizationId, id: ErasureId) => Effect.Effect<Erasure | undefined>
    /** The erasure of this subject that has not ended. */
    readonly findUnfinished: (
      organizationId: OrganizationId,
      kind: ErasureKind,
      subjectId: string
    ) => Effect.Effect<Erasure | undefined>
    /** As `find`; until the transaction ends nobody else changes it. */
    readonly findToChange: (
      organizationId: OrganizationId,
      id: ErasureId
    ) => Effect.Effect<Erasure | undefined, never, Transaction>
    /** Writes how far an erasure that `findToChange` found has come. */
    readonly replace: (erasure: Erasure) => Effect.Effect<void, never, Transaction>
  }
>()("@agent-platform/kernel/ErasureStore") {}
