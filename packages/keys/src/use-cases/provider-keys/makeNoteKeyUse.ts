import { UnitOfWork } from "@agent-platform/kernel"
import { DateTime, Effect, type Scope } from "effect"
import type { ProviderKey, ProviderKeyId } from "../../ProviderKey.ts"
import { ProviderKeyStore } from "../../ports/ProviderKeyStore.ts"

/**
 * Makes the noting of uses, which never holds up who notes one: it is written beside the run, at most once a minute for each
 * key over all processes, and dropped where the store is away. Ends with the scope.
 */
export const makeNoteKeyUse: Effect.Effect<
  (key: ProviderKey) => Effect.Effect<void>,
  never,
  ProviderKeyStore | UnitOfWork | Scope.Scope
> = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const store = yield* ProviderKeyStore
  const unit = yield* UnitOfWork
  const beingNoted = new Set<ProviderKeyId>()
  return Effect.fnUntraced(function* ({ id, lastUsedAt }: ProviderKey) {
    const at = yield* DateTime.now
    const isRecent = lastUsedAt !== null && DateTime.isLessThan(at, DateTime.add(lastUsedAt, { minutes: 1 }))
    if (isRecent || beingNoted.has(id)) return
    beingNoted.add(id)
    yield* unit.atomic(store.markUsed([{ id, at }])).pipe(
      Effect.catchCause((cause) => Effect.logDebug("The use of a provider key was not noted", cause)),
      Effect.ensuring(Effect.sync(() => beingNoted.delete(id))),
      Effect.forkIn(scope)
    )
  })
})
