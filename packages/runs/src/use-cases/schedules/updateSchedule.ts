import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Equal, String as Text } from "effect"
import { ScheduleStore } from "../../ports/ScheduleStore.ts"
import {
  Schedule,
  type ScheduleId,
  ScheduleNotFound,
  type ScheduleSettings,
  ScheduleVersionConflict
} from "../../Schedule.ts"
import { demandRun } from "./demandRun.ts"
import { recordScheduleAct } from "./scheduleActivity.ts"

export interface UpdateSchedule {
  readonly caller: WorkspaceCaller
  readonly id: ScheduleId
  /** The settings that change; those left out stay. */
  readonly settings: Partial<ScheduleSettings>
  /** The version that the change is meant for; any unless named. */
  readonly version: number | undefined
}

const NAMES = [
  "agentId",
  "name",
  "cron",
  "timezone",
  "prompt",
  "input",
  "metadata",
  "tags",
  "missed",
  "enabled"
] as const satisfies ReadonlyArray<keyof ScheduleSettings>

/** The names of the settings that differ, as callers know them. */
const differences = (before: Schedule, after: Schedule): ReadonlyArray<string> =>
  NAMES.filter((name) => !Equal.equals(before[name], after[name])).map((name) =>
    name === "prompt" ? "message" : Text.camelToSnake(name)
  )

/**
 * Changes a schedule; once this is committed no run is made by its earlier settings. One that is switched on, or has another agent or
 * input, must be able to make a run. Fails with ScheduleNotFound, ScheduleVersionConflict, and as `createSchedule` does.
 */
export const updateSchedule = useCase("runs.updateSchedule")(function* (command: UpdateSchedule) {
  const { caller, id, settings, version } = command
  const store = yield* ScheduleStore
  const before = yield* store.hold(caller.workspaceId, id)
  if (before === undefined) return yield* new ScheduleNotFound()
  if (version !== undefined && version !== before.version) {
    return yield* new ScheduleVersionConflict({ version: before.version })
  }
  const after = yield* Effect.fromResult(Schedule.changed(before, settings, yield* DateTime.now))
  if (after === before) return before
  const makesOtherRuns = after.agentId !== before.agentId || !Equal.equals(after.input, before.input)
  if (makesOtherRuns || (after.enabled && !before.enabled)) yield* demandRun(after)
  yield* store.update([after])
  yield* recordScheduleAct(caller, "updated", after, {
    version: after.version,
    changed: [...differences(before, after)]
  })
  return after
}, atomic)
