/** Runs the same statements by pgbench, where it is installed: the rate of Postgres alone, without a server before it. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FIND_KEY, FIND_RUN, INSERT_EVENT, INSERT_JOB, INSERT_RUN } from "./statements.ts"

/** The values that the statements take, as SQL. */
export interface PgbenchValues {
  readonly hash: string
  readonly runId: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly agentId: string
}

const quoted = (text: string) => `'${text}'`

/** The statement with values in the place of its parameters; the last first, as `$1` is the beginning of `$10`, too. */
const filled = (statement: string, values: ReadonlyArray<string>) =>
  `${values.reduceRight((text, value, index) => text.replaceAll(`$${index + 1}`, value), statement).replaceAll(/\s+/g, " ")};`

const scripts = (values: PgbenchValues) => {
  const key = filled(FIND_KEY, [quoted(values.hash)])
  const [organization, workspace, agent] = [values.organizationId, values.workspaceId, values.agentId].map(quoted)
  const owner = [organization ?? "", workspace ?? ""]
  return {
    get: [key, filled(FIND_RUN, [quoted(values.runId), workspace ?? ""])].join("\n"),
    post: [
      key,
      "select gen_random_uuid() as run, gen_random_uuid() as session \\gset",
      "begin;",
      filled(INSERT_RUN, [...owner, "':session'", "':run'", agent ?? "", `'{"steps": [{"return": 1}]}'`]),
      filled(INSERT_EVENT, [workspace ?? "", "':run'", "':session'"]),
      filled(INSERT_JOB, [`'{"run_id": ":run"}'`]),
      "commit;"
    ].join("\n")
  }
}

/** Transactions a second of pgbench with these statements over so many connections; undefined where it is not installed. */
export const pgbenchRate = (
  url: string,
  what: "get" | "post",
  values: PgbenchValues,
  options: { readonly connections: number; readonly seconds: number }
): number | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "agent-platform-pgbench-"))
  try {
    const script = join(folder, "script.sql")
    writeFileSync(script, `${scripts(values)[what]}\n`)
    const { connections, seconds } = options
    // A prepared statement takes no variables inside of quotes, and those of `post` stand in quotes.
    const mode = what === "get" ? "prepared" : "simple"
    const given = ["-n", "-M", mode, "-c", connections, "-j", 1, "-T", seconds, "-f", script, url].map(String)
    const { error, status, stderr, stdout } = spawnSync("pgbench", given, { encoding: "utf8" })
    if (error !== undefined) return undefined
    const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
    if (status !== 0 || rate === undefined) throw new Error(`pgbench failed: ${stderr}`)
    return Number(rate)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
