import { PinoLogger } from "@agent-platform/process"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Redacted } from "effect"

/** The lines that a program logs at this level. */
const logged = <E>(level: PinoLogger.Level, program: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    const lines: Array<Record<string, unknown>> = []
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
    yield* Effect.exit(Effect.provide(program, PinoLogger.layer({ level, app: "worker", pretty: false, destination })))
    return lines
  })

describe("the logger", () => {
  it.effect("writes a line of JSON with level, app, message and annotations", () =>
    Effect.gen(function* () {
      const [line] = yield* logged(
        "info",
        Effect.logWarning("careful").pipe(Effect.annotateLogs({ request_id: "r1", run_id: "x" }))
      )
      assert.deepInclude(line, { level: 40, app: "worker", msg: "careful", request_id: "r1", run_id: "x" })
    })
  )

  it.effect("writes nothing that is less severe than its level", () =>
    Effect.gen(function* () {
      const program = Effect.andThen(
        Effect.logDebug("no"),
        Effect.andThen(Effect.logInfo("no"), Effect.logError("yes"))
      )
      assert.deepStrictEqual(
        (yield* logged("warn", program)).map((line) => line.msg),
        ["yes"]
      )
      assert.isEmpty(yield* logged("silent", program))
    })
  )

  it.effect("keeps what is redacted by its type out of every part of a line", () =>
    Effect.gen(function* () {
      const secret = Redacted.make("whsec_topsecret")
      const program = Effect.logError("a key", secret, { nested: { secret } }).pipe(
        Effect.annotateLogs({ credential: secret }),
        Effect.andThen(Effect.logError("failed", Cause.die(new Error("no secret in here"))))
      )
      const text = JSON.stringify(yield* logged("info", program))
      assert.notInclude(text, "topsecret")
      assert.include(text, "<redacted>")
    })
  )

  it.effect("writes a cause with its stack and an error without what hangs on it", () =>
    Effect.gen(function* () {
      const error = Object.assign(new Error("broken"), { password: "hunter2" })
      const lines = yield* logged(
        "info",
        Effect.andThen(Effect.logError("one", Cause.die(error)), Effect.logError("two", error))
      )
      assert.include(String(lines[0]?.cause ?? lines[0]?.msg), "broken")
      assert.notInclude(JSON.stringify(lines), "hunter2")
    })
  )
})
