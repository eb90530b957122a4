/** Runs the examples of the README as they stand there, each in a process of its own. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { hostDatabase } from "./database.ts"
import { startReceiver } from "./receiver.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

/** The first block of TypeScript below a heading. */
const exampleUnder = (heading: string): string =>
  new RegExp(`^## ${heading}\\n[\\s\\S]*?\`\`\`ts\\n([\\s\\S]*?)\`\`\``, "m").exec(readme)?.[1] ??
  assert.fail(`There is no example under ${heading}`)

/** The lines that do something: neither imports nor empty ones. */
const linesOf = (code: string) => code.split("\n").filter((line) => line !== "" && !line.startsWith("import "))

/** Runs it until the test has seen what it wants, or fails with what it printed. */
const running = (code: string, env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  let printed = ""
  child.stdout.on("data", (piece) => {
    printed += piece
  })
  child.stderr.on("data", (piece) => {
    printed += piece
  })
  child.stdin.end(code)
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
  const failed = ended.then((status) => {
    if (status !== 0) throw new Error(`The example ended with ${status}: ${printed}`)
  })
  return { failed, printed: () => printed, stop: () => child.kill("SIGKILL") }
}

describe("the examples of the README", () => {
  it("make, recognise and rotate a key in ten lines", async () => {
    await using host = await hostDatabase()
    const code = exampleUnder("Keys")
    assert.isAtMost(linesOf(code).length, 10)
    const example = running(code, { DATABASE_URL: host.url })
    try {
      await example.failed
      assert.strictEqual(example.printed(), "customer 7 [ 'invoices:read' ]\ntrue\n")
    } finally {
      example.stop()
    }
  })

  it("meter a model call and refuse the next in twelve lines", async () => {
    await using host = await hostDatabase()
    const code = exampleUnder("Billing")
    assert.isAtMost(linesOf(code).length, 12)
    const example = running(code, { DATABASE_URL: host.url })
    try {
      await example.failed
      assert.strictEqual(example.printed(), "0.01065\ncall_exceeds_cap\n")
    } finally {
      example.stop()
    }
  })

  it("execute a function that asks, over the host's Postgres, in twenty lines", async () => {
    await using host = await hostDatabase()
    const code = exampleUnder("Runs")
    assert.isAtMost(linesOf(code).length, 20)
    const example = running(code, { DATABASE_URL: host.url })
    try {
      await example.failed
      assert.strictEqual(
        example.printed(),
        'waiting Send "Hello, world"?\nHello, world\n1 message.received\n2 run.queued\n3 run.started\n4 log\n5 run.succeeded\n'
      )
    } finally {
      example.stop()
    }
  })

  it("post, count, mark and record in fifteen lines", async () => {
    await using host = await hostDatabase()
    const code = exampleUnder("Feeds")
    assert.isAtMost(linesOf(code).length, 15)
    const example = running(code, { DATABASE_URL: host.url })
    try {
      await example.failed
      assert.strictEqual(
        example.printed(),
        "2 Invoice 7 is overdue, You are on the large plan\n{ unreadCount: 0 }\nAda sent invoice 7\n"
      )
    } finally {
      example.stop()
    }
  })

  it("deliver an event of the host's transaction in twelve lines", async () => {
    await using host = await hostDatabase()
    await using receiver = await startReceiver()
    const code = exampleUnder("Webhooks")
    assert.isAtMost(linesOf(code).length, 12)
    // A test has no host of the outside.
    const local = code
      .replace("https://acme.example/hooks", receiver.url)
      .replace("database: pool,", "database: pool, allowLoopback: true,")
    assert.notStrictEqual(local, code)
    const example = running(local, {
      DATABASE_URL: host.url,
      SECRETS_KEY: randomBytes(32).toString("base64")
    })
    try {
      const got = await Promise.race([
        receiver.until(1),
        example.failed.then(() => assert.fail(`It ended: ${example.printed()}`))
      ])
      assert.deepStrictEqual(JSON.parse(got[0]?.body ?? "").data, { invoice: 7 })
    } finally {
      example.stop()
    }
  })
})
