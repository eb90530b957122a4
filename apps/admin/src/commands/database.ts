/**
 * Commands for after a restore. Each row carries a mark, the number of the transaction that recorded it, by which roll-ups and
 * exports go on; the numbers of another server mean nothing here.
 */
import { faultOf, runJob, scheduledKind } from "@agent-platform/platform"
import { type MarksRenewal, renewMarks } from "@agent-platform/postgres"
import { CommandFailed } from "@agent-platform/process"
import { Cause, Console, Effect } from "effect"
import { Command } from "effect/cli"
import { databaseCommand } from "../databaseCommand.ts"
import { described, JsonFlag } from "../described.ts"
import { switchFlag } from "../flags.ts"
import { holderOf } from "../holder.ts"
import { printJson } from "../printed.ts"

/** The name of the renewal in the history of jobs. */
const RESTORED = "database.restored"

const summaryOf = ({ marked, needed }: MarksRenewal, dryRun: boolean): string =>
  needed
    ? `${dryRun ? "Would renew" : "Renewed"} the marks of ${marked
        .map(({ kind, rows, unrolled }) => `${rows} ${kind}, ${unrolled} of them still to be rolled up`)
        .join("; ")}`
    : "All marks are of this server: nothing is to be renewed"

/** Renews the marks as a job, so that the history has it. `runJob` returns a line of text, so the renewal is handed out by a variable. */
const renewAsJob = Effect.gen(function* () {
  let renewal: MarksRenewal = { needed: false, marked: [] }
  const job = {
    kind: scheduledKind(RESTORED),
    run: Effect.map(renewMarks({ dryRun: false }), (found) => {
      renewal = found
      return summaryOf(found, false)
    })
  }
  yield* runJob(job, { trigger: "operator", holder: holderOf("admin") }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.fail(new CommandFailed({ message: `The marks could not be renewed: ${faultOf(cause)}` }))
    )
  )
  return renewal
})

const restored = databaseCommand({
  name: "restored",
  does: "Renew the marks of analytics and of exports of activity after a dump was restored on another server; before any app is started, safe to repeat",
  examples: ["database restored", "database restored --dry-run --json"],
  prints: { dry_run: false, needed: true, marked: [{ kind: "model calls", rows: 1200, unrolled: 3 }] },
  flags: {
    dryRun: switchFlag("dry-run", "Change nothing; say whether it is needed, and count what would be marked anew")
  },
  run: Effect.fn(function* ({ dryRun }) {
    const renewal = yield* dryRun ? renewMarks({ dryRun }) : renewAsJob
    if (yield* JsonFlag) return yield* printJson({ dry_run: dryRun, ...renewal })
    return yield* Console.log(summaryOf(renewal, dryRun))
  })
})

/** Commands about the database itself, beside `migrate`. */
export const database = Command.make("database").pipe(
  described({ does: "The database after it was moved", examples: ["database restored --dry-run"] }),
  Command.withSubcommands([restored])
)
