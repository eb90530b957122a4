import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, onTestFinished, vi } from "vitest"
import { commandLine, processIdentity, takeLock } from "../processLock.mjs"
import { temporaryFolder, until } from "./stage.ts"

const sleeper = () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return { child, pid: child.pid ?? 0 }
}

/** As on systems without /proc, for the rest of the test. */
const elsewhere = () => {
  const { platform } = process
  Object.defineProperty(process, "platform", { value: "darwin" })
  onTestFinished(() => {
    Object.defineProperty(process, "platform", { value: platform })
  })
}

describe("a lock file", () => {
  it("is taken once, and again after its release", () => {
    const path = join(temporaryFolder(), "lock")
    const first = takeLock(path)
    assert.isTrue(first.taken)
    assert.deepStrictEqual(takeLock(path), { taken: false, pid: process.pid })
    if (first.taken) first.release()
    assert.isTrue(takeLock(path).taken)
    assert.deepStrictEqual(readdirSync(join(path, "..")), ["lock"])
  })

  it("is taken over from a process that is gone", async () => {
    const path = join(temporaryFolder(), "lock")
    const { child, pid } = sleeper()
    writeFileSync(path, JSON.stringify({ pid, identity: await until(() => processIdentity(pid)) }))
    assert.deepStrictEqual(takeLock(path), { taken: false, pid })
    child.kill("SIGKILL")
    await until(() => processIdentity(pid) === undefined)
    assert.isTrue(takeLock(path).taken)
  })

  it("is taken over from a process whose number was given to another", () => {
    const path = join(temporaryFolder(), "lock")
    writeFileSync(path, JSON.stringify({ pid: sleeper().pid, identity: "the boot and start time of another" }))
    assert.isTrue(takeLock(path).taken)
  })

  it("is taken over from a process that is gone and left no identity", async () => {
    const path = join(temporaryFolder(), "lock")
    const { child, pid } = sleeper()
    child.kill("SIGKILL")
    await until(() => processIdentity(pid) === undefined)
    writeFileSync(path, JSON.stringify({ pid }))
    assert.isTrue(takeLock(path).taken)
  })

  it("is neither taken nor taken over where ps does not work", () => {
    const path = join(temporaryFolder(), "lock")
    elsewhere()
    const held = JSON.stringify({ pid: sleeper().pid, identity: "its start" })
    const withoutPs = (act: () => unknown) => {
      vi.stubEnv("PATH", temporaryFolder())
      try {
        assert.throws(act, /ps does not tell of process \d+/)
      } finally {
        vi.unstubAllEnvs()
      }
    }
    withoutPs(() => takeLock(path))
    assert.deepStrictEqual(readdirSync(join(path, "..")), [])
    writeFileSync(path, held)
    withoutPs(() => takeLock(path))
    assert.strictEqual(readFileSync(path, "utf8"), held)
  })

  it("is taken over when its content is damaged, and an old holder's release leaves the new one's alone", () => {
    const path = join(temporaryFolder(), "lock")
    const old = takeLock(path)
    writeFileSync(path, "{")
    assert.isTrue(takeLock(path).taken)
    if (old.taken) old.release()
    assert.strictEqual(JSON.parse(readFileSync(path, "utf8")).pid, process.pid)
  })
})

describe("a process", () => {
  it("is distinguished from others where there is no /proc, too", async () => {
    elsewhere()
    const { child, pid } = sleeper()
    const identity = processIdentity(pid)
    assert.match(identity ?? "", /\d\d:\d\d:\d\d/)
    assert.strictEqual(processIdentity(pid), identity)
    child.kill("SIGKILL")
    await once(child, "exit")
    assert.isUndefined(processIdentity(pid))
  })

  it("is distinguished from others by more than its number", () => {
    assert.isDefined(processIdentity(process.pid))
    assert.strictEqual(processIdentity(process.pid), processIdentity(process.pid))
    assert.notStrictEqual(processIdentity(process.pid), processIdentity(sleeper().pid))
  })

  it("shows what it was started with", async () => {
    const { pid } = sleeper()
    await until(() => commandLine(pid) === "sleep 60")
    assert.isUndefined(commandLine(2 ** 22 + 1))
  })
})
