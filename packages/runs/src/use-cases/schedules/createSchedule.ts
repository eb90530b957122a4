import {
  atomic,
  freshId,
  type IdempotencyRequest,
  idempotently,
  QuotaExceeded,
  Quotas,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect } from "effect"
import { ScheduleStore } from "../../ports/ScheduleStore.ts"
import { Schedule, ScheduleId, type ScheduleSettings } from "../../Schedule.ts"
import { demandRun } from "./demandRun.ts"
import { findSchedule } from "./readSchedules.ts"
import { recordScheduleAct } from "./scheduleActivity.ts"

export interface CreateSchedule {
  readonly caller: WorkspaceCaller
  readonly settings: ScheduleSettings
  readonly idempotency?: IdempotencyRequest | undefined
}

/**
 * Creates a schedule of a living agent. Fails with TimetableFlawed, AgentNotFound, RecipeUnknown, InputSchemaMismatch, AgentFlawed or
 * QuotaExceeded.
 */
export const createSchedule = useCase("runs.createSchedule")(function* (command: CreateSchedule) {
  const { caller, idempotency, settings } = command
  const { organizationId, workspaceId } = caller
  const store = yield* ScheduleStore

  const create = Effect.gen(function* () {
    const identity = { id: yield* freshId(ScheduleId), organizationId, workspaceId }
    const schedule = yield* Effect.fromResult(Schedule.created(identity, settings, yield* DateTime.now))
    yield* demandRun(schedule)
    const { schedules: limit } = yield* Quotas
    if ((yield* store.holdCount(workspaceId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "schedules", of: "workspace", limit })
    }
    yield* store.insert(schedule)
    yield* recordScheduleAct(caller, "created", schedule)
    return schedule
  })

  return yield* atomic(
    idempotently(idempotency, {
      create,
      idOf: ({ id }) => id,
      find: (id) => findSchedule(workspaceId, ScheduleId.make(id))
    })
  )
})
