/** The API as a process: its settings, its word that it is ready, its end. */

import { type ChildProcess, fork } from "node:child_process"
import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { appBundle, appSources, type Startable } from "../../../infra/local/appBundles.ts"
import { checksummed } from "./checksum.ts"

const bundle = Effect.promise(() => appBundle("api"))

/** A database that nobody can reach: port 1 takes no connections. */
const SETTINGS = {
  DATABASE_URL: "postgres://nobody:nothing@127.0.0.1:1/none",
  SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
  LOG_LEVEL: "info"
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

const start = (app: Startable, environment: Readonly<Record<string, string>>) => {
  const child = fork(app.main, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { PATH: process.env["PATH"], ...app.environment, ...environment }
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk
    })
  }
  const ended = Effect.callback<Ended>((resume) => {
    child.once("close", (code) => resume(Effect.succeed({ code, output })))
  })
  const ready = Effect.callback<unknown>((resume) => {
    child.once("message", (message) => resume(Effect.succeed(message)))
    child.once("close", () => resume(Effect.die(new Error(`It ended before it was ready: ${output}`))))
  })
  return { child, ended, ready }
}

const stop = ({ child }: { readonly child: ChildProcess }) => Effect.sync(() => void child.kill("SIGKILL"))

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

describe("the settings", () => {
  it.live("end the process with 78 and one line that names PORT when another process listens there", () =>
    Effect.gen(function* () {
      const taken = createServer()
      yield* Effect.callback<void>((resume) => void taken.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = taken.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const { code, output } = yield* start(yield* bundle, { ...SETTINGS, PORT: String(port) }).ended
      taken.close()
      assert.strictEqual(code, 78)
      assert.match(output, /PORT cannot be used: .*another process listens there/)
    })
  )

  // One that the layer reads and the one that the log needs; `settings.test.ts` has the others.
  const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
    ["SECRETS_KEY", { SECRETS_KEY: "too short" }],
    ["LOG_LEVEL", { LOG_LEVEL: "loud" }]
  ]
  for (const [variable, change] of wrong) {
    it.live(
      `end the process with 78 and one line that names ${variable} when it is '${Object.values(change)[0]}'`,
      () =>
        Effect.acquireUseRelease(
          Effect.map(bundle, (app) => start(app, { ...SETTINGS, ...change })),
          ({ ended }) =>
            Effect.map(ended, ({ code, output }) => {
              assert.strictEqual(code, 78, output)
              const lines = output.trim().split("\n")
              assert.strictEqual(lines.length, 1, output)
              assert.include(lines[0] ?? "", variable)
            }),
          stop
        )
    )
  }
})

describe("the process", () => {
  const running = <A>(
    app: Effect.Effect<Startable>,
    use: (api: ReturnType<typeof start> & { readonly url: string }) => Effect.Effect<A>
  ) =>
    Effect.acquireUseRelease(
      Effect.zipWith(app, freePort, (startable, port) => ({
        ...start(startable, { ...SETTINGS, PORT: String(port) }),
        url: `http://127.0.0.1:${port}`
      })),
      use,
      stop
    )

  it.live("notifies its parent when it listens, is alive without its database, not ready, and answers 503", () =>
    running(Effect.succeed(appSources("api")), ({ ready, url }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ready, { ready: true })
        const status = (path: string) => Effect.promise(() => fetch(url + path).then((response) => response.status))
        assert.strictEqual(yield* status("/healthz"), 200)
        assert.strictEqual(yield* status("/readyz"), 503)
        const document = yield* Effect.promise(() => fetch(`${url}/openapi.json`).then((response) => response.json()))
        assert.deepStrictEqual(document.servers, [{ url }])
        // Well-formed, so that it is looked up.
        const key = "apk_ws_0000000000000000000000000000000000000000000"
        const response = yield* Effect.promise(() =>
          fetch(`${url}/api/v1/auth/me`, { headers: { "x-api-key": checksummed(key) } })
        )
        const problem = yield* Effect.promise(() => response.json())
        assert.strictEqual(`${response.status} ${problem.code}`, "503 unavailable")
        assert.isNotNull(response.headers.get("retry-after"))
      })
    )
  )

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`ends with 0 on ${signal}`, () =>
      running(bundle, ({ child, ended, ready }) =>
        Effect.gen(function* () {
          yield* ready
          // Not by `child.kill`, after which Deno reports the signal instead of the exit code.
          if (child.pid !== undefined) process.kill(child.pid, signal)
          const { code, output } = yield* ended
          assert.strictEqual(code, 0, output)
          assert.match(output, /The api was asked to stop.*The api has stopped/s)
        })
      )
    )
  }
})
