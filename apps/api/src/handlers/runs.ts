import { Api } from "@agent-platform/contract"
import { AgentId, RunId, Runs, SessionId } from "@agent-platform/runs"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeAwaitedRuns } from "../awaitedRuns.ts"
import { workspaceCaller } from "../callers.ts"
import { idempotencyProblems, notFound } from "../edge/problems.ts"
import { makeIdempotencyOf, replayHeaders } from "../idempotency.ts"
import { idOf, maybeIdOf } from "../ids.ts"
import { callerViews } from "../views/callerViews.ts"
import { canonicalUsd } from "../views/money.ts"
import { runAnswer, runView } from "../views/runView.ts"
import { contentOf, overridesOf } from "./agentBodies.ts"
import { makeBrowserKeyHandler } from "./browserKeys.ts"
import { makeRunListHandler } from "./runList.ts"
import { makeRunLogHandler } from "./runLog.ts"
import { acceptanceProblems, inputProblems } from "./runProblems.ts"
import { makeRunRecordHandler } from "./runRecord.ts"
import { makeFollowRunsHandler } from "./runStream.ts"

const PATH = "/api/v1/runs/"

/** Handlers of runs and their logs. */
export const layerRuns = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    const idempotencyOf = yield* makeIdempotencyOf
    const { awaited, openWait, read } = yield* makeAwaitedRuns
    const createBrowserKey = yield* makeBrowserKeyHandler
    const getRunLog = yield* makeRunLogHandler
    const listRuns = yield* makeRunListHandler
    const getRunRecord = yield* makeRunRecordHandler
    const followRuns = yield* makeFollowRunsHandler

    return handlers.handleAll({
      triggerRun: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* workspaceCaller
        const agentId = yield* idOf(AgentId, payload.agentId)
        const sessionId = yield* maybeIdOf(SessionId, payload.sessionId)
        // The wait is counted first, so that a run is not accepted when its wait is refused.
        const untilRefused = yield* openWait(payload.waitSeconds)
        const triggered = yield* runs
          .triggerRun({
            caller,
            agentId,
            recipe: payload.recipe ?? undefined,
            sessionId,
            prompt: payload.message ?? null,
            input: payload.input ?? null,
            overrides: overridesOf(payload),
            content: contentOf(payload),
            metadata: payload.metadata ?? {},
            tags: payload.tags ?? [],
            priority: payload.priority,
            runAt: payload.runAt ?? null,
            ttlSeconds: payload.ttlSeconds ?? null,
            maxDurationSeconds: payload.maxDurationSeconds,
            maxAttempts: payload.maxAttempts,
            maxCostUsd: payload.maxCostUsd == null ? null : canonicalUsd(payload.maxCostUsd),
            ifBusy: payload.ifBusy,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.workspaceId, { headers, request })
          })
          .pipe(Effect.catchTags({ ...idempotencyProblems, ...acceptanceProblems, ...inputProblems }))
        const run = yield* awaited(triggered.value, payload.waitSeconds, untilRefused)
        return runAnswer(runView(run), {
          status: 202,
          headers: { location: `/api/v1/runs/${run.id}`, ...replayHeaders(triggered.replayed) }
        })
      }),

      getRun: Effect.fnUntraced(function* ({ params, query }) {
        const runId = yield* idOf(RunId, params.run_id)
        const untilRefused = yield* openWait(query.wait_seconds)
        const run = yield* read(runId, query.wait_seconds, untilRefused).pipe(Effect.catchTag("RunNotFound", notFound))
        const views = yield* callerViews
        return runAnswer(views.run(run), { status: 200 })
      }),

      createRunBrowserKey: Effect.fnUntraced(
        function* (call) {
          const caller = yield* workspaceCaller
          const runId = yield* idOf(RunId, call.params.run_id)
          yield* runs.readRun({ caller, runId, waitSeconds: 0 })
          return yield* createBrowserKey(call, { type: "run", id: runId }, { runId })
        },
        Effect.catchTag("RunNotFound", notFound)
      ),

      getRunLog,
      getRunRecord,
      followRuns,
      listRuns
    })
  })
)
