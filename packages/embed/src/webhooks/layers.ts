/** The domain over memory or Postgres, with all that it needs. */
import { EgressGuard } from "@agent-platform/egress"
import { DEFAULT_QUOTAS, FeedLog, JobQueue, type NotificationRecord, Quotas, Signals } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { layerWebhooks, PgEventLog, PgIdempotency, PgOutbox, PgSignals, PgUnitOfWork } from "@agent-platform/postgres"
import { SecretBoxAes } from "@agent-platform/secrets"
import { ActiveEndpointsMax, Webhooks } from "@agent-platform/webhooks"
import { layer as storesMemory } from "@agent-platform/webhooks/memory"
import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { layerStores } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import type { WebhooksSettings } from "./options.ts"
import { Publisher, layerMemory as publisherMemory, layerPostgres as publisherPostgres } from "./Publisher.ts"

const crypto = Layer.provideMerge(Digest.layerWebCrypto, SecureRandom.layerWebCrypto)

/** A replay worker without a queue finds replays by their rows, so enqueueing a job only raises its signal. */
const jobQueue = Layer.effect(
  JobQueue,
  Effect.map(Signals, (signals) => JobQueue.of({ enqueue: (kind) => Effect.as(signals.raise(kind.name), true) }))
)

const NOTICES = { "webhook.endpoint_disabled": "endpoint_disabled", "webhook.delivery_dead": "delivery_dead" } as const

/** Keeps no acts, since the host knows who has called it; hands notices to the host once they are committed. */
const feedLog = (onNotice: WebhooksSettings["onNotice"]) =>
  Layer.effect(
    FeedLog,
    Effect.gen(function* () {
      const publisher = yield* Publisher
      // In fibers of their own: outside of the transaction that has just ended, and without waiting for the host's function.
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const report = Effect.fnUntraced(function* ({ body, organizationId, payload, title, type }: NotificationRecord) {
        if (onNotice === undefined) return
        if (type !== "webhook.endpoint_disabled" && type !== "webhook.delivery_dead") return
        const tenant = yield* publisher.nameOf(organizationId)
        const notice = { type: NOTICES[type], tenant, endpointId: String(payload["endpoint_id"]), title, body }
        yield* Effect.tryPromise(async () => onNotice(notice))
      })
      return FeedLog.of({
        record: () => Effect.void,
        tally: () => Effect.void,
        close: () => Effect.void,
        notify: (...notices) =>
          publisher.afterCommit(
            Effect.sync(() => {
              for (const notice of notices) {
                run(Effect.catchCause(report(notice), (cause) => Effect.logError("onNotice failed", cause)))
              }
            })
          )
      })
    })
  )

const memory = Layer.provideMerge(Layer.merge(publisherMemory, storesMemory), kernelMemory)

const postgres = Layer.mergeAll(
  PgEventLog.layer,
  PgOutbox.layer,
  PgIdempotency.layer,
  layerWebhooks,
  publisherPostgres
).pipe(Layer.provideMerge(Layer.merge(PgSignals.layer, PgUnitOfWork.layer)), Layer.provideMerge(crypto))

/** Everything that the entry point runs. */
export const layerOf = (settings: WebhooksSettings) => {
  const ours = Layer.mergeAll(
    Layer.provide(Layer.orDie(SecretBoxAes.layer(settings.encryptionKeys)), crypto),
    EgressGuard.layer({ allowLoopback: settings.allowLoopback }),
    Layer.succeed(ActiveEndpointsMax, settings.activeEndpointsMax),
    Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, webhook_endpoints: settings.endpointsMax }),
    jobQueue,
    feedLog(settings.onNotice)
  )
  return Webhooks.layer.pipe(
    Layer.provideMerge(ours),
    Layer.provideMerge(layerStores(settings.installation, memory, postgres)),
    Layer.provideMerge(layerLog(settings.log))
  )
}
