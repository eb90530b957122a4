/**
 * `npm run test:generators [-- --keep]`: holds the OpenAPI document to the recommended rules of redocly, makes clients of it by
 * generators that people use, with their default options, checks them strictly, and runs the README's example with each against a
 * running API.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { runCommand } from "../local/suite/runCommand.ts"
import { makeDatabase, startApi, startApp } from "../system/harness.ts"
import { startOwnPostgres } from "../system/ownPostgres.ts"
import { PYTHON, TYPESCRIPT } from "./generators/examples.ts"
import { run } from "./install/command.ts"
import { npm } from "./npm.ts"

const GENERATORS = [
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.99.0",
  "orval@8.38.0",
  "axios@1.21.1",
  "typescript@5.9.3",
  "@types/node@24.10.1"
]
const REDOCLY = "@redocly/cli@2.77.0"
const PYTHON_PACKAGES = ["openapi-python-client==0.29.1", "mypy==2.4.1", "ruff==0.17.6"]
const SAID = "You said: Hello"

/** The places where the document breaks those rules, because the specification names these paths and a redirect is the answer of a login. */
const BROKEN_RULES = [
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/deliveries",
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/enable",
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/replay",
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/replays",
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/rotate-secret",
  "no-ambiguous-paths /api/v1/org/webhooks/{endpoint_id}/test",
  "no-path-trailing-slash /api/v1/byok/",
  "no-path-trailing-slash /api/v1/runs/",
  "operation-2xx-response /api/v1/auth/oauth/{provider}/callback",
  "operation-2xx-response /api/v1/auth/oauth/{provider}/login"
]

const { keep } = parseArgs({ options: { keep: { type: "boolean", default: false } } }).values
const document = fileURLToPath(new URL("../../packages/contract/openapi.json", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "agent-platform-generators-"))
const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

let failed = 0
const check = async (name: string, act: () => Promise<unknown>): Promise<void> => {
  try {
    await act()
    print(`ok      ${name}`)
  } catch (error) {
    failed++
    print(`FAILED  ${name}\n${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The words of npm and pip when a registry has answered that it does not have a package, or not that version. */
const ANSWERED = /E404|ETARGET|\(from versions: [^n)]/

/** Whether these tools are there. Where no registry answers, or a program is missing, the checks that need them are left out. */
const isThere = async (tools: string, obtain: () => Promise<unknown>): Promise<boolean> => {
  try {
    await obtain()
    return true
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    if (ANSWERED.test(said)) await check(`${tools} are in the registry`, () => Promise.reject(error))
    else
      print(
        `left out: ${tools} cannot be had here: ${said.split("\n").find((line) => /err/i.test(line)) ?? said.split("\n")[0]}`
      )
    return false
  }
}

const postgres = await startOwnPostgres()
const started: Array<{ readonly stop: () => Promise<unknown> }> = []

/** Starts an API and a worker. Examples find them by the environment. */
const startPlatform = async (): Promise<void> => {
  const { credentials, url } = await makeDatabase(postgres.url)
  started.push(await startApp("worker", url, {}))
  const api = await startApi(url)
  started.push(api)
  Object.assign(process.env, {
    BASE_URL: `http://127.0.0.1:${api.port}`,
    API_KEY: credentials.workspace_key,
    AGENT_ID: credentials.agent_id
  })
}

/** Runs a program beside the platform, and fails unless it prints what the agent said. */
const says = async (command: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const output = await run(folder, command, ...args)
  if (!output.includes(SAID)) throw new Error(`${command} ${args.join(" ")} printed:\n${output}`)
}

/** The rules of redocly that the document breaks, each with the path where it does. */
const brokenRules = async (redocly: string): Promise<ReadonlyArray<string>> => {
  const args = ["lint", document, "--extends", "recommended", "--format", "json", "--max-problems", "1000"]
  // Redocly ends with 1 where a rule is broken, which is no failure here, and prints lines before and after the report.
  const options = {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  }
  const { output } = await runCommand(redocly, args, options)
  const report = JSON.parse(output.slice(output.indexOf("{\n"), output.lastIndexOf("}") + 1)) as {
    readonly problems: ReadonlyArray<{
      readonly ruleId: string
      readonly location: ReadonlyArray<{ readonly pointer: string }>
    }>
  }
  const pathOf = (pointer: string) => pointer.split("/")[2]?.replaceAll("~1", "/") ?? pointer
  return report.problems.map(({ location, ruleId }) => `${ruleId} ${pathOf(location[0]?.pointer ?? "")}`).toSorted()
}

const redocly = async (): Promise<void> => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const install = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", REDOCLY]
  if (!(await isThere("redocly", () => npm(folder, install)))) return
  await check("redocly's recommended rules hold, but for what the specification asks", async () => {
    const broken = await brokenRules(join(folder, "node_modules", ".bin", "redocly"))
    if (broken.join("\n") !== BROKEN_RULES.join("\n")) throw new Error(`Broken are:\n${broken.join("\n")}`)
  })
}

const typescript = async (): Promise<void> => {
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: "nodenext",
        target: "es2023",
        outDir: "built",
        types: ["node"],
        lib: ["es2023", "dom", "dom.iterable"]
      },
      include: ["*.ts", "generated"]
    })
  )
  const install = ["install", "--save-exact", "--no-audit", "--no-fund", "--loglevel=error", ...GENERATORS]
  if (!(await isThere("openapi-typescript, hey-api and orval", () => npm(folder, install)))) return
  mkdirSync(join(folder, "generated"))
  const tool = (name: string) => join(folder, "node_modules", ".bin", name)
  await check("openapi-typescript generates", () =>
    run(folder, tool("openapi-typescript"), document, "-o", "generated/openapi-typescript.ts")
  )
  await check("hey-api generates", () => run(folder, tool("openapi-ts"), "-i", document, "-o", "generated/hey-api"))
  await check("orval generates", () =>
    run(folder, tool("orval"), "--input", document, "--output", "generated/orval.ts")
  )
  for (const [name, text] of Object.entries(TYPESCRIPT)) writeFileSync(join(folder, name), text)
  await check("all compile strictly", () => run(folder, tool("tsc"), "-p", "."))
  for (const name of Object.keys(TYPESCRIPT)) {
    await check(`${name} runs the example`, () => says(process.execPath, join("built", name.replace(".ts", ".js"))))
  }
}

const python = async (): Promise<void> => {
  const tool = (name: string) => join(folder, "venv", "bin", name)
  if (!(await isThere("python3 with venv", () => run(folder, "python3", "-m", "venv", "venv")))) return
  const install = () => run(folder, tool("pip"), "install", "-q", ...PYTHON_PACKAGES)
  if (!(await isThere("openapi-python-client", install))) return
  // The generator formats its client by ruff, which it looks for on the path.
  process.env["PATH"] = `${join(folder, "venv", "bin")}:${process.env["PATH"]}`
  await check("openapi-python-client generates", () =>
    run(folder, tool("openapi-python-client"), "generate", "--path", document, "--fail-on-warning")
  )
  await run(folder, tool("pip"), "install", "-q", "./agent-platform-client")
  writeFileSync(join(folder, "example.py"), PYTHON)
  await check("its example is strictly typed", () => run(folder, tool("mypy"), "--strict", "example.py"))
  await check("openapi-python-client runs the example", () => says(tool("python"), "example.py"))
}

try {
  await startPlatform()
  await redocly()
  await typescript()
  await python()
} finally {
  await Promise.all(started.map((one) => one.stop()))
  await postgres.stop()
  if (!keep) rmSync(folder, { recursive: true, force: true })
}
print(keep ? `Everything is in ${folder}` : "")
process.exit(failed === 0 ? 0 : 1)
