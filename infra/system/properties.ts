/**
 * `npm run test:properties`: a property tester that knows nothing of this platform, Schemathesis, makes requests out of the OpenAPI
 * document and holds each answer to it. Ends with 1 where anything fails: an answer of 5xx, one that the document does not have, a
 * request that breaks a schema and is accepted, or one that fits its schema and is refused by none of the rules in `x-rules`.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readFlags } from "../local/flags.ts"
import { runCommand } from "../local/suite/runCommand.ts"
import { run } from "../release/install/command.ts"
import { makeDatabase, startApi, startApp } from "./harness.ts"
import { startOwnPostgres } from "./ownPostgres.ts"
import { judge } from "./propertyReport.ts"

const TESTER = "schemathesis==4.32.5"

/** Operations that are left out, and why. */
const LEFT_OUT = {
  "streams never end": ["followEvents", "followNotifications", "followRuns"],
  "the tester would take its own key away": [
    "revokeApiKey",
    "rotateApiKey",
    "updateApiKey",
    "revokeOrgApiKey",
    "rotateOrgApiKey",
    "updateOrgApiKey"
  ]
}

const { examples, seconds, seed } = readFlags(
  "npm run test:properties",
  "Makes requests out of the OpenAPI document by Schemathesis, and holds every answer to it. Asks the Python registry.",
  {
    examples: { value: "N", default: 60, says: "Most requests of a kind to each operation" },
    seconds: { value: "N", default: 120, says: "How long each of the two keys is used" },
    seed: { value: "N", default: 1, says: "Chooses the requests" }
  }
)
const say = (line: string) => process.stdout.write(`${line}\n`)

const python = await run(process.cwd(), "python3", "--version").catch(() => undefined)
if (python === undefined) {
  say("There is no python3 here")
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), "agent-platform-properties-"))
await run(folder, "python3", "-m", "venv", "venv")
await run(folder, join(folder, "venv", "bin", "pip"), "install", "-q", TESTER)
const document = fileURLToPath(new URL("../../packages/contract/openapi.json", import.meta.url))
const postgres = await startOwnPostgres()
const { credentials, url } = await makeDatabase(postgres.url)
const worker = await startApp("worker", url)
const api = await startApi(url, async () => ({ WORKSPACE_RATE_LIMIT: "1000000/60" }))
for (const [why, operations] of Object.entries(LEFT_OUT)) say(`Left out, as ${why}: ${operations.join(", ")}`)

let failed = 0
try {
  for (const [name, key] of [
    ["workspace key", credentials.workspace_key],
    ["organization key", credentials.org_key]
  ] as const) {
    const report = join(folder, "report.ndjson")
    await runCommand(
      join(folder, "venv", "bin", "schemathesis"),
      [
        ...["run", document, "--url", `http://127.0.0.1:${api.port}`, "--header", `Authorization: Bearer ${key}`],
        ...["--phases", "examples,coverage,fuzzing,stateful", "--max-time", String(seconds), "--seed", String(seed)],
        ...["--max-examples", String(examples), "--request-timeout", "30", "--continue-on-failure", "--no-color"],
        ...["--generation-with-security-parameters", "false", "--output-sanitize", "false"],
        ...["--report", "ndjson", "--report-ndjson-path", report],
        ...Object.values(LEFT_OUT).flatMap((ids) => ids.flatMap((id) => ["--exclude-operation-id", id]))
      ],
      { cwd: folder, env: { ...process.env, NO_COLOR: "1" } }
    )
    const { failures, operations, admitted, requests } = await judge(report)
    const alive = await api.ask(key, "GET", "/api/v1/auth/me")
    if (alive.status !== 200) throw new Error(`The ${name} is refused at the end: nothing was tested with it`)
    if (requests === 0) throw new Error(`Nothing was asked with the ${name}`)
    say(`${name}: ${requests} requests to ${operations} operations, ${failures.length} failures`)
    for (const [rule, count] of admitted) say(`  ${count} by the rule: ${rule}`)
    for (const failure of failures) say(`  FAILED ${failure}`)
    failed += failures.length
  }
} finally {
  await Promise.all([api.stop(), worker.stop()])
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)
