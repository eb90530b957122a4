import { LedgerEraser } from "@agent-platform/billing"
import { FeedEraser } from "@agent-platform/feeds"
import {
  ErasureStore,
  FeedLog,
  Idempotency,
  JobQueue,
  Overrides,
  Quotas,
  RecordEraser,
  UnitOfWork
} from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import {
  AgentStore,
  InboundWebhookStore,
  RunEraser,
  RunReader,
  ScheduleStore,
  SessionStore
} from "@agent-platform/runs"
import { makeBind } from "@agent-platform/toolkit"
import { DeliveryEraser } from "@agent-platform/webhooks"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { askErasure } from "./askErasure.ts"
import { countErasure } from "./countErasure.ts"
import { readErasure } from "./readErasure.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    AgentStore,
    DeliveryEraser,
    ErasureStore,
    FeedEraser,
    FeedLog,
    Idempotency,
    InboundWebhookStore,
    JobQueue,
    KeyEraser,
    LedgerEraser,
    Overrides,
    Quotas,
    RecordEraser,
    RunEraser,
    RunReader,
    ScheduleStore,
    SessionStore,
    SecureRandom.SecureRandom,
    UnitOfWork
  )
  return {
    askErasure: bind(askErasure),
    countErasure: bind(countErasure),
    readErasure: bind(readErasure)
  }
})

/** Erasures over all domains: asking for them, counting and reading; workers do them. */
export class Erasures extends Context.Service<Erasures, Effect.Success<typeof make>>()(
  "@agent-platform/platform/Erasures"
) {
  static readonly layer = Layer.effect(Erasures, make)
}
