/** When keys are used, noted beside the requests and never on their way. */
import { UnitOfWork } from "@agent-platform/kernel"
import { Cause, DateTime, Effect, Latch, type Scope } from "effect"
import type { ApiKey, ApiKeyId } from "./ApiKey.ts"
import { ApiKeyStore, type KeyUsed, USE_APART_SECONDS } from "./ports/ApiKeyStore.ts"

/** How long uses are gathered before they are written, in seconds. */
export const GATHER_SECONDS = 5

/** Most uses that one statement writes. */
const BATCH_MAX = 1_000

/** How long the last uses may take to be written once the layer closes. */
const FAREWELL = "3 seconds"

/** Whether the use of a key at `at` is worth noting: what the key's own row says is recent enough otherwise. */
const isNews = (key: ApiKey, at: DateTime.Utc): boolean =>
  key.lastUsedAt === null ||
  DateTime.isLessThanOrEqualTo(DateTime.add(key.lastUsedAt, { seconds: USE_APART_SECONDS }), at)

const batchesOf = (uses: ReadonlyArray<KeyUsed>): ReadonlyArray<ReadonlyArray<KeyUsed>> =>
  Array.from({ length: Math.ceil(uses.length / BATCH_MAX) }, (_, index) =>
    uses.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX)
  )

/**
 * Notes the use of a key: at once, without waiting for anything. Written every `GATHER_SECONDS` and when the scope closes,
 * one statement for a thousand keys; what cannot be written is dropped, for the next use says it better.
 */
export const makeKeyUse: Effect.Effect<
  (key: ApiKey) => Effect.Effect<void>,
  never,
  ApiKeyStore | UnitOfWork | Scope.Scope
> = Effect.gen(function* () {
  const store = yield* ApiKeyStore
  const unit = yield* UnitOfWork
  let gathered = new Map<ApiKeyId, KeyUsed>()
  // Where no key is used nothing is to be woken for.
  const anything = yield* Latch.make()

  const write = Effect.suspend(() => {
    const uses = gathered
    gathered = new Map()
    return Effect.forEach(batchesOf([...uses.values()]), (batch) => unit.atomic(store.noteUses(batch)), {
      discard: true
    }).pipe(
      // What the end of the layer interrupts is written by its finalizer.
      Effect.onInterrupt(() => Effect.sync(() => (gathered = new Map([...uses, ...gathered])))),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.logDebug("When keys were last used could not be noted", cause)
      )
    )
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(write, FAREWELL))
  yield* anything.await.pipe(
    Effect.andThen(Effect.sleep(`${GATHER_SECONDS} seconds`)),
    Effect.andThen(anything.close),
    Effect.andThen(write),
    Effect.forever,
    Effect.forkScoped
  )

  return (key) =>
    Effect.map(DateTime.now, (at) => {
      if (!isNews(key, at)) return
      gathered.set(key.id, { organizationId: key.organizationId, id: key.id, at })
      anything.openUnsafe()
    })
})
