import { EventLog, FeedLog, Idempotency, Outbox, Quotas, Signals, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { QueueLimit } from "./acceptance/QueueLimit.ts"
import { AgentRunner } from "./ports/AgentRunner.ts"
import { AgentStore } from "./ports/AgentStore.ts"
import { CheckpointStore } from "./ports/CheckpointStore.ts"
import { InboundWebhookStore } from "./ports/InboundWebhookStore.ts"
import { RunAcceptance } from "./ports/RunAcceptance.ts"
import { RunContentStore } from "./ports/RunContentStore.ts"
import { RunLog } from "./ports/RunLog.ts"
import { RunReader } from "./ports/RunReader.ts"
import { RunSettlement } from "./ports/RunSettlement.ts"
import { ScheduleStore } from "./ports/ScheduleStore.ts"
import { SessionRuns } from "./ports/SessionRuns.ts"
import { SessionStore } from "./ports/SessionStore.ts"
import { SpendGate } from "./ports/SpendGate.ts"
import { createSchedule } from "./use-cases/schedules/createSchedule.ts"
import { deleteSchedule } from "./use-cases/schedules/deleteSchedule.ts"
import { fireSchedules } from "./use-cases/schedules/fireSchedules.ts"
import { listSchedules, readSchedule } from "./use-cases/schedules/readSchedules.ts"
import { updateSchedule } from "./use-cases/schedules/updateSchedule.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    AgentRunner,
    AgentStore,
    CheckpointStore,
    EventLog,
    InboundWebhookStore,
    ScheduleStore,
    SessionStore,
    RunReader,
    RunAcceptance,
    RunContentStore,
    RunLog,
    RunSettlement,
    SessionRuns,
    SpendGate,
    QueueLimit,
    FeedLog,
    Idempotency,
    Outbox,
    Quotas,
    Signals,
    UnitOfWork,
    SecureRandom.SecureRandom
  )
  return {
    createSchedule: bind(createSchedule),
    listSchedules: bind(listSchedules),
    readSchedule: bind(readSchedule),
    updateSchedule: bind(updateSchedule),
    deleteSchedule: bind(deleteSchedule),
    fireSchedules: bind(fireSchedules)
  }
})

/** Runs by the clock: every use case, bound to its ports when the layer is built. */
export class Schedules extends Context.Service<Schedules, Effect.Success<typeof make>>()(
  "@agent-platform/runs/Schedules"
) {
  static readonly layer = Layer.provide(Layer.effect(Schedules, make), QueueLimit.layer)
}

/** The ports that an embedder provides. */
export type SchedulesPorts = Layer.Services<typeof Schedules.layer>
