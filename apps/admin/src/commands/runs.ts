import { findOperatorRun, listOperatorRuns } from "@agent-platform/postgres"
import { CommandRefused } from "@agent-platform/process"
import { RunId, RunStatus } from "@agent-platform/runs"
import { DateTime, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { anyWorkspaceFlag, idFlag, limitFlag, optionalOrganizationFlag, orNull, sinceFlag } from "../flags.ts"
import { scopeOf } from "../operator.ts"
import { printJson, printPage, rowOfView } from "../printed.ts"
import { A_WORKSPACE, AN_ORGANIZATION } from "../shapes.ts"
import { runWaiting } from "../waiting.ts"

const A_RUN = {
  id: "01a1fd51-2764-7218-9ac0-9d6895cfd59e",
  organization_id: AN_ORGANIZATION.id,
  workspace_id: A_WORKSPACE.id,
  session_id: "01a1fd51-2764-7218-9ac0-9d6895cfd59f",
  agent_id: "01a1fd51-2764-7218-9ac0-9d6895cfd5a0",
  recipe: "chat",
  status: "queued",
  paused: false,
  error_code: null,
  trigger: "api",
  priority: 0,
  attempt: 0,
  max_attempts: 1,
  cost_usd: "0",
  created_at: "2026-11-21T05:10:00.123Z",
  run_at: null,
  expires_at: null,
  started_at: null,
  finished_at: null,
  cancel_requested_at: null
}

const list = databaseCommand({
  name: "list",
  does: "List runs of all organizations, of one or of a workspace, newest first and without their texts",
  examples: [
    "runs list",
    "runs list --organization Acme --workspace Support --status failed --since 24h",
    `runs list --since 2026-11-21T00:00:00Z --limit 100 --before ${A_RUN.id} --json`
  ],
  prints: { items: [A_RUN], next: A_RUN.id },
  flags: {
    organization: optionalOrganizationFlag,
    workspace: anyWorkspaceFlag,
    status: orNull(Flag.Literals("status", RunStatus.literals).pipe(Flag.withDescription("Only runs of this status"))),
    since: sinceFlag,
    limit: limitFlag,
    before: orNull(idFlag("before", RunId, "Go on behind this run: the last of the page before"))
  },
  run: Effect.fn(function* ({ before, limit, organization, since, status, workspace }) {
    const scope = yield* scopeOf(organization, workspace)
    const found = yield* listOperatorRuns({ ...scope, before, limit, status, since: since(yield* DateTime.now) })
    // `listOperatorRuns` answers one run more than `limit` where another page follows.
    const page = found.slice(0, limit)
    const next = found.length > limit ? (page.at(-1)?.id ?? null) : null
    const columns = ["id", "workspace_id", "status", "error_code", "attempt", "created_at", "started_at", "finished_at"]
    yield* printPage(page.map(rowOfView), next, columns, yield* JsonFlag)
  })
})

const show = databaseCommand({
  name: "show",
  does: "Show a run (none of its texts), why it waits, and what else decides when it goes on; prints JSON",
  examples: [`runs show --run ${A_RUN.id}`],
  prints: {
    ...A_RUN,
    waits: {
      reason: "in_line",
      message:
        "It is ready: 3 of its workspace's runs go first; 50 runs are executed by 1 workers, 45 of its organization and 40 of its workspace. Organizations and workspaces take turns"
    },
    circumstances: {
      due_in_seconds: -12.5,
      lease_seconds: null,
      callback_seconds: null,
      ahead_in_session: 0,
      next_in_session: null,
      ahead_in_workspace: 3,
      running_in_workspace: 40,
      running_in_organization: 45,
      running: 50,
      busy_workers: 1,
      worker_sessions: 9,
      cap_usd: "250",
      spent_usd: "12.5",
      reserved_usd: "0.4"
    }
  },
  flags: { run: idFlag("run", RunId, "Id of the run") },
  run: Effect.fn(function* ({ run: id }) {
    const found = yield* findOperatorRun(id)
    if (found === undefined) return yield* new CommandRefused({ message: `There is no run ${id}` })
    const { circumstances, run } = found
    return yield* printJson({ ...rowOfView(run), waits: runWaiting(run, circumstances), circumstances })
  })
})

/** Commands about runs. */
export const runs = Command.make("runs").pipe(
  described({ does: "Runs of every organization, without their texts", examples: ["runs list --status failed"] }),
  Command.withSubcommands([list, show])
)
