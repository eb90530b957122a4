import { Api, Conflict, type schedules as contract } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import {
  AgentId,
  type Schedule,
  ScheduleId,
  type ScheduleSettings,
  Schedules,
  type ScheduleVersionConflict,
  type TimetableFlawed
} from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { agentNotFound, idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { givenFilters } from "../givenFilters.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf, maybeIdOf } from "../ids.ts"
import { versionOf } from "../ifMatch.ts"
import { quotaProblems } from "../quotas.ts"
import { agentWithoutRecipe, inputProblems } from "./runProblems.ts"

const PATH = "/api/v1/schedules"

/** The problems of a schedule that could make no run. */
const settingsProblems = {
  ...inputProblems,
  ScheduleNotFound: notFound,
  AgentNotFound: agentNotFound,
  TimetableFlawed: ({ detail, path }: TimetableFlawed) => invalid(`/${path}`, detail),
  RecipeUnknown: () => agentWithoutRecipe([]),
  AgentFlawed: ({ detail }: { readonly detail: string }) =>
    invalid("/agent_id", `must be an agent that can run: one of its settings ${detail}`)
}

const versionConflict = ({ version }: ScheduleVersionConflict) =>
  new Conflict({ code: "version_conflict", detail: `The schedule is at version ${version}. Read it again` })

/** The settings that a body names, but for the agent. */
const settingsOf = ({
  agentId: _,
  message,
  ...named
}: (typeof contract.ScheduleChange)["Type"]): Partial<Omit<ScheduleSettings, "agentId">> => ({
  ...(Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as typeof named),
  ...(message === undefined ? {} : { prompt: message })
})

const view = ({ prompt, ...schedule }: Schedule) => ({ ...schedule, message: prompt })

/** Runs of the workspace's agents by the clock. */
export const layerSchedules = HttpApiBuilder.group(
  Api,
  "schedules",
  Effect.fnUntraced(function* (handlers) {
    const schedules = yield* Schedules
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      // A malformed agent id finds no schedules, like an unknown one.
      listSchedules: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const scope = { route: `GET ${PATH}`, owner: caller.workspaceId, filters: givenFilters(query) }
        const agentId = query.agent_id === undefined ? undefined : parseId(AgentId, query.agent_id)
        if (query.agent_id !== undefined && agentId === undefined) return { items: [], nextCursor: null }
        return yield* cursors.page(scope, query, (page) => schedules.listSchedules({ caller, agentId, page }), view)
      }),

      createSchedule: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* workspaceCaller
        const { input = null, message = null, metadata = {}, name = null, tags = [], ...given } = payload
        const settings = {
          ...given,
          agentId: yield* idOf(AgentId, payload.agentId, agentNotFound),
          input,
          metadata,
          name,
          tags
        }
        const created = yield* schedules
          .createSchedule({
            caller,
            settings: { ...settings, prompt: message },
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.workspaceId, { headers, request })
          })
          .pipe(Effect.catchTags({ ...settingsProblems, ...quotaProblems, ...idempotencyProblems }))
        return creation(view(created.value), created.replayed)
      }),

      getSchedule: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* idOf(ScheduleId, params.schedule_id)
        return view(yield* schedules.readSchedule({ caller, id }).pipe(Effect.catchTag("ScheduleNotFound", notFound)))
      }),

      updateSchedule: Effect.fnUntraced(function* ({ headers, params, payload }) {
        const caller = yield* workspaceCaller
        const agentId = yield* maybeIdOf(AgentId, payload.agentId, agentNotFound)
        const changed = yield* schedules
          .updateSchedule({
            caller,
            id: yield* idOf(ScheduleId, params.schedule_id),
            settings: { ...settingsOf(payload), ...(agentId === undefined ? {} : { agentId }) },
            version: versionOf(headers)
          })
          .pipe(Effect.catchTags({ ...settingsProblems, ScheduleVersionConflict: versionConflict }))
        return view(changed)
      }),

      deleteSchedule: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* workspaceCaller
        const id = yield* idOf(ScheduleId, params.schedule_id)
        yield* schedules.deleteSchedule({ caller, id }).pipe(Effect.catchTag("ScheduleNotFound", notFound))
        return { id, status: "deleted" as const }
      })
    })
  })
)
