/**
 * The entry of `npm start`, `npm test` and nearly every other script of package.json. It runs on any Node from 20 on without a
 * dependency, installs what is missing, and hands over to the Node of package-lock.json.
 */
import { spawn } from "node:child_process"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { install, missingBinaries, nodeBinary } from "./install.mjs"
import { flagsOf, MEMORY_ENVIRONMENT, MEMORY_FLAGS } from "./memory.mjs"

const ROOT = fileURLToPath(new URL("../../", import.meta.url))
const PARENT_POLL_MILLISECONDS = 250
const APPS = ["api", "worker", "admin"]
const BENCHES = [
  "capacity",
  "capacityPlan",
  "runs",
  "api",
  "authentication",
  "delivery",
  "analytics",
  "billing",
  "feeds",
  "retention",
  "storage",
  "processes"
]
const DASHBOARD = ["budget", "pictures"]
const EXIT_USAGE = 64

const say = (line) => process.stderr.write(`agent-platform: ${line}\n`)

/**
 * The script that a command line stands for: its arguments, the binaries that it `needs`, whether it is `attached` to this process by an
 * IPC channel, and the level of the installation, `all` if not said. Undefined for anything else.
 */
const planOf = ([mode, ...args]) => {
  if (mode === "start") {
    const needs = process.env.DATABASE_URL ? [] : ["postgres"]
    return { script: "infra/local/start.ts", args, needs, attached: true, level: "running" }
  }
  if (mode === "test" || mode === "long" || mode === "check") {
    const postgres = mode !== "check" && !process.env.TEST_DATABASE_URL ? ["postgres"] : []
    return { script: "infra/local/test.ts", args: [mode, ...args], needs: ["deno", ...postgres], attached: false }
  }
  if (mode === "docs") return { script: "infra/docs/write.ts", args, needs: [], attached: false }
  if (mode === "dashboard" && args.length === 0)
    return { script: "apps/dashboard/build/develop.ts", args, needs: [], attached: false, level: "running" }
  if (mode === "dashboard" && DASHBOARD.includes(args[0])) {
    return { script: `apps/dashboard/test/${args[0]}.ts`, args: args.slice(1), needs: ["postgres"], attached: false }
  }
  if (mode === "pack") return { script: "infra/release/pack.ts", args, needs: [], attached: false }
  if (mode === "install")
    return { script: "infra/release/testInstall.ts", args, needs: ["deno", "postgres"], attached: false }
  if (mode === "generators") {
    return { script: "infra/release/testGenerators.ts", args, needs: ["postgres"], attached: false }
  }
  if (mode === "release")
    return { script: "infra/release/release.ts", args, needs: ["deno", "postgres"], attached: false }
  if (mode === "conformance") {
    const { requests, seed } = parseArgs({
      args,
      options: { requests: { type: "string" }, seed: { type: "string" } }
    }).values
    Object.assign(process.env, requests && { CONFORMANCE_REQUESTS: requests }, seed && { CONFORMANCE_SEED: seed })
    return planOf(["test", "apps/api/test/conformance/conformance"])
  }
  if (mode === "crash") {
    const [script, rest] = args[0] === "deliveries" ? ["crashDeliveries", args.slice(1)] : ["crash", args]
    return { script: `infra/system/${script}.ts`, args: rest, needs: ["postgres"], attached: false }
  }
  if (mode === "restarts") return { script: "infra/system/restart.ts", args, needs: ["postgres"], attached: false }
  if (mode === "properties") return { script: "infra/system/properties.ts", args, needs: ["postgres"], attached: false }
  if (mode === "failover") return { script: "infra/system/failover.ts", args, needs: ["postgres"], attached: false }
  if (mode === "worst") return { script: "infra/worst/worst.ts", args, needs: ["postgres"], attached: false }
  if (mode === "app" && APPS.includes(args[0])) {
    const [app, ...rest] = args
    // npm runs scripts in the checkout; files that are named on the command line are named from where npm was called.
    const cwd = process.env.INIT_CWD
    const script = `apps/${app}/src/main.ts`
    return { script, flags: flagsOf(app), args: rest, needs: [], attached: false, cwd, level: "running" }
  }
  if (mode === "bench" && BENCHES.includes(args[0])) {
    return { script: `infra/bench/${args[0]}.ts`, args: args.slice(1), needs: ["postgres"], attached: false }
  }
  return undefined
}

let running
let stopping = false

const forward = (signal) => {
  stopping = true
  running?.kill(signal)
}

/** Stops what runs once npm is gone: an npm that is killed outright leaves its script behind, which would run on unseen. */
const followNpm = () => {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    forward("SIGTERM")
  }, PARENT_POLL_MILLISECONDS)
  timer.unref()
}

const exitAs = (code, signal) => process.exit(signal === null ? code : 128 + (constants.signals[signal] ?? 0))

const startNode = ({ script, flags = MEMORY_FLAGS, args, cwd = ROOT }, stdio) => {
  const node = nodeBinary(ROOT)
  const env = {
    ...MEMORY_ENVIRONMENT,
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(ROOT, "node_modules", ".cache", "node-compile")
  }
  running = spawn(node, [...flags, join(ROOT, script), ...args], { cwd, env, stdio })
  running.on("error", (error) => {
    say(`${node} does not run: ${error.message}`)
    process.exit(1)
  })
  return running
}

const runScript = (chosen) => {
  // Through the IPC channel the script of `npm start` sees that this process is gone, whatever ended it.
  const child = startNode(chosen, ["inherit", "inherit", "inherit", ...(chosen.attached ? ["ipc"] : [])])
  child.on("exit", exitAs)
}

const stopIfAsked = () => {
  if (stopping) process.exit(128 + constants.signals.SIGINT)
}

/** The plan, or undefined where the command line is not understood. */
const understood = (args) => {
  try {
    return planOf(args)
  } catch (error) {
    say(error.message)
    return undefined
  }
}

const plan = understood(process.argv.slice(2))
if (plan === undefined) {
  say(
    "usage: launch.mjs start | test [vitest arguments] | check | docs | dashboard [budget|pictures] | pack | install | release [arguments] | " +
      "crash [deliveries] [arguments] | conformance [--requests N] [--seed N] | worst [arguments] | failover [arguments] | " +
      "restarts [arguments] | bench runs|api|authentication|delivery|analytics|billing|feeds|retention|processes | " +
      "app api|worker|admin [arguments]"
  )
  process.exit(EXIT_USAGE)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => forward(signal))
followNpm()
const onChild = (child) => {
  running = child
}
await install(ROOT, { level: plan.level ?? "all", say, onChild }).catch((error) => {
  stopIfAsked()
  say(error.message)
  process.exit(1)
})
stopIfAsked()
const problem = missingBinaries(ROOT, plan.needs)
if (problem !== undefined) {
  say(problem)
  process.exit(1)
}
runScript(plan)
