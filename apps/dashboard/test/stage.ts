/** One browser, and one platform by `npm start`, for all tests of the dashboard in a run; made where there are any. */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { freePort } from "../../../infra/local/postgres/freePort.ts"

/** The things that all tests share. */
export interface Stage {
  /** Where to connect to the browser. */
  readonly browser: string
  readonly baseUrl: string
  readonly orgKey: string
  /** For further processes over the same database, and for rows that would take long to make by the API. */
  readonly databaseUrl: string
  readonly secretsKey: string
  /** The link that `npm start` has printed. It signs in once. */
  readonly startLink: string
}

declare module "vitest" {
  interface ProvidedContext {
    /** Null where no browser is to be had: the tests are skipped, and the run says so. */
    dashboard: Stage | null
  }
}

const NEEDS_BROWSER = /\.browser\.test\.ts$/
const ROOT = fileURLToPath(new URL("../../../", import.meta.url))

const isNeeded = async (project: TestProject): Promise<boolean> => {
  const asked: unknown = Reflect.get(project.vitest, "filenamePattern")
  const files = await project.vitest.globTestSpecifications(Array.isArray(asked) ? asked.map(String) : undefined)
  return files.some(({ moduleId }) => NEEDS_BROWSER.test(moduleId))
}

/** `npm start` over a folder of its own, and what is shared of it. */
export const startPlatform = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "agent-platform-dashboard-"))
  // The user that root's Postgres runs as has to pass through.
  chmodSync(dataDir, 0o711)
  const { DATABASE_URL: _, NODE_OPTIONS: __, ...inherited } = process.env
  const child = spawn(process.execPath, [join(ROOT, "infra/local/launch.mjs"), "start"], {
    cwd: ROOT,
    env: { ...inherited, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  const ready = Promise.withResolvers<void>()
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8")
    if (said.includes("is ready on")) ready.resolve()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8")
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  void ended.then(() => ready.reject(new Error(`npm start ended: ${said}`)))
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
  process.once("exit", () => child.kill("SIGTERM"))
  await ready.promise.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const { base_url, database_url, org_key } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"))
  const secretsKey = readFileSync(join(dataDir, "secrets.key"), "utf8").trim()
  const startLink = /http:\S+#start=\S+/.exec(said)?.[0] ?? ""
  const urls = { baseUrl: String(base_url), databaseUrl: String(database_url), startLink }
  return {
    stage: { ...urls, orgKey: String(org_key), secretsKey },
    stop
  }
}

/** Vitest's global setup: provides `dashboard`. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  if (!(await isNeeded(project))) return undefined
  // Loaded by the runs that need it alone.
  const { launchBrowser } = await import("./chromium.ts")
  const browser = await launchBrowser()
  if (browser === undefined) {
    console.error("NO BROWSER: the dashboard is not tested. Set CHROMIUM_PATH to a Chromium.")
    project.provide("dashboard", null)
    return undefined
  }
  const platform = await startPlatform().catch(async (error: unknown) => {
    await browser.close()
    throw error
  })
  project.provide("dashboard", { browser: browser.wsEndpoint(), ...platform.stage })
  return async () => {
    await browser.close()
    await platform.stop()
  }
}
