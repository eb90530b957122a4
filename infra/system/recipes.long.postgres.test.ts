/** Recipes of one's own, by the page that describes them: its file, on Node and on Deno. */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Egress, SecretBox } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { chatDescription } from "@agent-platform/models"
import { Platform } from "@agent-platform/platform"
import { layerCrypto } from "@agent-platform/process"
import { SpendGuard } from "@agent-platform/runs"
import { layer as runStores } from "@agent-platform/runs/memory"
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { freePort } from "../local/postgres/freePort.ts"
import { makeDatabase, SECRETS_KEY, until } from "./harness.ts"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))

/** The one example of the page, as it stands there. */
const example = (): string => {
  const [, section = ""] = readFileSync(join(ROOT, "docs/agents.md"), "utf8").split("\n## Recipes of your own\n")
  const [, shown] = /```ts\n([\s\S]*?)```/.exec(section.split("\n## ")[0] ?? "") ?? []
  if (shown === undefined) throw new Error("docs/agents.md shows no recipe")
  return shown
}

const RUNTIMES = {
  Node: [process.execPath, ...process.execArgv],
  Deno: [join(ROOT, "node_modules/.bin/deno"), "run", "-A"]
} as const

let database: Awaited<ReturnType<typeof makeDatabase>>
let folder: string

beforeAll(async () => {
  database = await makeDatabase(inject("postgresUrl"))
  folder = mkdtempSync(join(tmpdir(), "recipes-"))
  // As if the folder were one of the checkout: packages are found from the place of the file.
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "mine.ts"), example())
  writeFileSync(join(folder, "clash.ts"), 'export default { name: "http", execute: () => undefined }\n')
}, 120_000)

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

/** An app of the checkout, started in the folder by a runtime. */
const start = (
  runtime: keyof typeof RUNTIMES,
  app: "api" | "worker",
  environment: Readonly<Record<string, string>>
) => {
  const [command, ...args] = RUNTIMES[runtime]
  const child = spawn(command, [...args, join(ROOT, `apps/${app}/src/main.ts`)], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      DATABASE_URL: database.url,
      SECRETS_KEY,
      LOG_LEVEL: "info",
      NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/node-compile"),
      ...environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  return {
    log: () => log,
    exited,
    isReady: () => {
      if (child.exitCode !== null) throw new Error(`The ${app} ended with ${child.exitCode}:\n${log}`)
      return log.includes(`The ${app} is ready`) || undefined
    },
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    }
  }
}

describe("the platform's own names", () => {
  it("are those of its recipes", async () => {
    const builtIn = await Effect.runPromise(
      Platform.builtInRecipes({ demo: "full" }).pipe(
        Effect.provide([
          runStores.pipe(Layer.provide(kernelMemory)),
          SpendGuard.layerUnmetered,
          Egress.layerNone,
          SecretBox.layerNone,
          layerCrypto
        ])
      )
    )
    assert.sameMembers(
      [...Platform.OWN_RECIPES],
      [...builtIn, chatDescription].map(({ name }) => name)
    )
  })
})

describe.each(Object.keys(RUNTIMES) as ReadonlyArray<keyof typeof RUNTIMES>)("RECIPES on %s", (runtime) => {
  it("has runs executed by the recipe of the page", { timeout: 240_000 }, async () => {
    const port = await freePort()
    const settings = { RECIPES: "./mine.ts", PORT: String(port), HOST: "127.0.0.1" }
    const apps = [start(runtime, "api", settings), start(runtime, "worker", settings)]
    try {
      for (const app of apps) await until("the app is ready", app.isReady, 200)
      const { workspace_key } = database.credentials
      const post = async (path: string, body: object) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers: { "x-api-key": workspace_key, "content-type": "application/json" },
          body: JSON.stringify(body)
        })
        return { status: response.status, json: (await response.json()) as Record<string, unknown> }
      }
      const agent = await post("/api/v1/agents", { name: "Counter", recipe: "count-words" })
      assert.strictEqual(agent.status, 201, JSON.stringify(agent.json))
      const { agent_id } = agent.json
      const run = await post("/api/v1/runs/", { agent_id, message: "Is it done yet", wait_seconds: 30 })
      assert.deepInclude(run.json, { status: "succeeded", result: { words: 4 }, message: "4 words" })
      const empty = await post("/api/v1/runs/", { agent_id, wait_seconds: 30 })
      assert.deepInclude(empty.json, { status: "failed", error_code: "invalid_input" })
      const flawed = await post("/api/v1/agents", { name: "Flawed", recipe: "count-words", tools: ["ask_user"] })
      assert.strictEqual(flawed.status, 422)
      assert.include(JSON.stringify(flawed.json), "this recipe uses no tools")
    } finally {
      await Promise.all(apps.map((app) => app.stop()))
    }
  })

  it("ends an app at its start where a name is taken", { timeout: 120_000 }, async () => {
    const app = runtime === "Node" ? "api" : "worker"
    const refused = start(runtime, app, { RECIPES: "./clash.ts" })
    assert.strictEqual(await refused.exited, 78, refused.log())
    assert.include(refused.log(), "RECIPES cannot be used: ./clash.ts exports the recipe 'http'")
  })
})
