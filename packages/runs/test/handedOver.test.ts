/** What recipes hand over that cannot be taken: it fails their own runs, at once, and no other waits for that. */
import {
  EventLog,
  FeedLog,
  type NotificationRecord,
  Outbox,
  SecretBox,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import {
  endpointSecretPlace,
  isTerminal,
  mcpHeadersPlace,
  type Recipe,
  type Run,
  RunLog,
  RunStore,
  Runs,
  startRunWorker,
  type Turn,
  type TurnOutcome
} from "@agent-platform/runs"
import { anAgent } from "@agent-platform/runs/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Redacted, type Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { atomic, claimBeside } from "../src/testing/givenRuns.ts"
import { aStoredAgent, memory, trigger } from "./support.ts"

const nested = (levels: number): Schema.Json => JSON.parse("[".repeat(levels) + "]".repeat(levels))

const done = (result: Schema.Json): TurnOutcome => ({ _tag: "Succeeded", result, message: null })

const recipe = (name: string, execute: (turn: Turn) => Effect.Effect<TurnOutcome>): Recipe => ({ name, execute })

/** The run once it has ended, which it does before anything that is tried again a second later. */
const soon = Effect.fnUntraced(function* (run: Run) {
  const find = RunStore.use((store) => store.find(run.workspaceId, run.id))
  for (let steps = 0; steps < 60; steps++) {
    yield* TestClock.adjust("10 millis")
    const found = yield* find
    if (found !== undefined && isTerminal(found)) return found
  }
  return yield* Effect.die(new Error("The run has not ended"))
})

const logOf = (caller: WorkspaceCaller, run: Run) =>
  Effect.map(
    Runs.use((runs) => runs.readRunLog({ caller, runId: run.id, after: 0, limit: 500 })),
    ({ items }) => items
  )

const strange: ReadonlyArray<readonly [string, Recipe["execute"], Partial<Run>]> = [
  [
    "a result that is nested too deep",
    () => Effect.succeed(done(nested(6_000))),
    { errorCode: "agent_error", error: "The result is nested deeper than 100 levels" }
  ],
  [
    "an interrupt that is nested too deep",
    () => Effect.succeed({ _tag: "Paused", message: "?", interrupt: nested(6_000) }),
    { errorCode: "agent_error", error: "The interrupt is nested deeper than 100 levels" }
  ],
  [
    "an event that is nested too deep",
    ({ emit }) => Effect.andThen(emit("log", { message: "m", more: nested(6_000) }), Effect.never),
    { errorCode: "agent_error", error: "An event of the run's log is nested deeper than 100 levels" }
  ],
  [
    "an event that is nested too deep, and a result right behind it",
    ({ emit }) => Effect.as(emit("log", { message: "m", more: nested(101) }), done(1)),
    { errorCode: "agent_error", error: "An event of the run's log is nested deeper than 100 levels" }
  ],
  [
    "a checkpoint that is nested too deep",
    ({ checkpoint }) => Effect.andThen(checkpoint.save(nested(6_000)), Effect.never),
    { errorCode: "agent_error", error: "The run's checkpoint is nested deeper than 200 levels" }
  ],
  [
    "a checkpoint that is too large",
    ({ checkpoint }) => Effect.andThen(checkpoint.save("x".repeat(9 * 1024 * 1024)), Effect.never),
    { errorCode: "output_too_large", error: "The run's checkpoint is larger than 8388608 bytes" }
  ],
  [
    "a result that is no JSON",
    () => Effect.succeed(done(1n as never)),
    { errorCode: "internal_error", error: "The recipe failed unexpectedly" }
  ],
  ["no outcome at all", () => Effect.succeed(undefined as never), { errorCode: "internal_error" }]
]

describe("a run whose recipe hands over", () => {
  for (const [what, execute, becomes] of strange) {
    it.effect(`${what} fails at once, and keeps no other run waiting`, () =>
      Effect.gen(function* () {
        const seen = yield* Deferred.make<void>()
        yield* Effect.gen(function* () {
          yield* startRunWorker()
          const bad = yield* aStoredAgent({ recipe: "strange" })
          const first = yield* trigger(bad)
          yield* TestClock.adjust("20 millis")
          yield* Deferred.await(seen)
          const good = yield* trigger(yield* aStoredAgent(), { input: { steps: [{ say: "hi" }, { return: 42 }] } })
          assert.deepInclude(yield* soon(good), { status: "succeeded", result: 42 })
          const after = yield* soon(first)
          assert.deepInclude(after, { status: "failed", ...becomes })
          assert.strictEqual((yield* logOf(bad.caller, first)).at(-1)?.type, "run.failed")
        }).pipe(
          Effect.provide(
            memory(recipe("strange", (turn) => Effect.andThen(Deferred.succeed(seen, undefined), execute(turn))))
          )
        )
      }).pipe(Effect.scoped)
    )
  }

  it.effect("JSON of a hundred levels is a run like any other", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const run = yield* trigger(yield* aStoredAgent({ recipe: "deep" }))
      assert.deepInclude(yield* soon(run), { status: "succeeded", result: nested(100) })
    }).pipe(
      Effect.scoped,
      Effect.provide(
        memory(
          recipe("deep", ({ checkpoint, emit }) =>
            Effect.gen(function* () {
              yield* emit("log", { message: "m", more: nested(99) })
              yield* checkpoint.save(nested(200))
              return done(nested(100))
            })
          )
        )
      )
    )
  )
})

// Put together here, so that nobody who looks for secrets finds one in this file.
const FORM = `gh${"p"}_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789`
const HEADER = "tools-header-0123456789"
const ENDPOINT = `wh${"sec"}_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0`
const ADDED = "opened-by-the-recipe"
const ALL = `${FORM} ${HEADER} ${ENDPOINT} ${ENDPOINT.slice(6)} ${ADDED}`

const leaking: Readonly<Record<string, TurnOutcome>> = {
  succeeded: { _tag: "Succeeded", result: { [ALL]: [ALL] }, message: ALL },
  paused: { _tag: "Paused", message: ALL, interrupt: { question: ALL } },
  failed: { _tag: "Failed", errorCode: "agent_error", error: ALL }
}

/** An agent with a secret for its endpoint and a header for a server of tools. */
const anAgentWithSecrets = Effect.gen(function* () {
  const box = yield* SecretBox
  const plain = anAgent()
  const sealedSecret = yield* box.seal(endpointSecretPlace(plain), Redacted.make(ENDPOINT))
  const headers = Redacted.make(JSON.stringify({ authorization: `Bearer ${HEADER}` }))
  const server = { name: "tools", url: "https://tools.example.com/mcp" }
  const sealedHeaders = yield* box.seal(mcpHeadersPlace(plain, server), headers)
  return { id: plain.id, sealedSecret, server: { ...server, sealedHeaders }, plain }
})

describe("secrets that a recipe hands over", () => {
  for (const [how, outcome] of Object.entries(leaking)) {
    it.effect(`are redacted of a run that ends ${how}, its log, its event and its notice`, () =>
      Effect.gen(function* () {
        const notices: Array<NotificationRecord> = []
        const log = yield* FeedLog
        yield* startRunWorker().pipe(
          Effect.provideService(FeedLog, {
            ...log,
            notify: (...more) =>
              Effect.andThen(
                Effect.sync(() => notices.push(...more)),
                log.notify(...more)
              )
          })
        )
        const { plain, sealedSecret, server } = yield* anAgentWithSecrets
        const caller = { organizationId: plain.organizationId, workspaceId: plain.workspaceId }
        const of = yield* aStoredAgent({
          ...plain,
          ...caller,
          recipe: "leak",
          endpoint: { url: "https://agents.example.com/run", sealedSecret },
          mcpServers: [server]
        })
        const run = yield* soon(yield* trigger({ ...of, caller: { ...of.caller, ...caller } }))
        assert.strictEqual(run.paused ? "paused" : run.status, how)
        const taken = yield* Outbox.use((outbox) => outbox.take(100))
        const events = yield* EventLog.use((all) => all.find(taken.map(({ id }) => id)))
        assert.strictEqual(events.length, 1)
        assert.strictEqual(notices.length, how === "succeeded" ? 0 : 1)
        const left = {
          run,
          log: yield* RunLog.use((all) => all.read(run.id, { after: 0, limit: 100 })),
          events,
          notices
        }
        const text = JSON.stringify(left)
        for (const secret of [FORM, HEADER, ENDPOINT.slice(6), ADDED]) assert.notInclude(text, secret)
        assert.include(text, "[redacted: access_token] [redacted: secret]")
      }).pipe(
        Effect.scoped,
        Effect.provide(
          memory(
            recipe("leak", ({ emit, redactor }) => {
              redactor?.add(ADDED)
              return Effect.as(emit("log", { message: ALL, [ALL]: { more: [ALL] } }), outcome)
            })
          )
        )
      )
    )
  }
})

describe("the log of a run", () => {
  const talks = (turn: Turn) =>
    Effect.as(turn.emit("log", { message: "x".repeat(600) }), done("told")) satisfies Effect.Effect<TurnOutcome>

  it.effect("holds so many bytes, and fails the run that would log more, which is its last event", () =>
    Effect.gen(function* () {
      yield* startRunWorker({ logBytesMax: 2_000 })
      const of = yield* aStoredAgent({ recipe: "endless" })
      const run = yield* trigger(of)
      const error = "The run's log is larger than 2000 bytes"
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", error })
      assert.deepStrictEqual(
        (yield* logOf(of.caller, run)).map(({ type }) => type),
        ["run.queued", "run.started", "log", "log", "log", "run.failed"]
      )
    }).pipe(
      Effect.scoped,
      Effect.provide(memory(recipe("endless", ({ emit }) => Effect.forever(emit("log", { message: "x".repeat(600) })))))
    )
  )

  it.effect("counts what earlier attempts wrote", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent({ recipe: "talk" })
      const run = yield* trigger(of, { maxAttempts: 2 })
      const [lost] = yield* claimBeside(run, { leaseSeconds: 0 })
      const event = { type: "log", createdAt: run.createdAt, attempt: 1, data: { message: "x".repeat(600) } } as const
      yield* atomic(RunLog.use((log) => log.append([{ runId: run.id, claimToken: lost!.claimToken, events: [event] }])))
      yield* startRunWorker({ logBytesMax: 1_000, recoverSeconds: 0.01 })
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", attempt: 2 })
      const alone = yield* trigger(of, { maxAttempts: 2 })
      assert.deepInclude(yield* soon(alone), { status: "succeeded", result: "told" })
    }).pipe(Effect.scoped, Effect.provide(memory(recipe("talk", talks))))
  )

  it.effect("counts what was written before a worker handed the run back", () => {
    let executions = 0
    const hangs = recipe("hang", (turn) =>
      Effect.flatMap(talks(turn), (outcome) => (executions++ === 0 ? Effect.never : Effect.succeed(outcome)))
    )
    return Effect.gen(function* () {
      const run = yield* trigger(yield* aStoredAgent({ recipe: "hang" }))
      const worker = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), worker)
      yield* TestClock.adjust("2 seconds")
      const closing = yield* Effect.forkChild(Scope.close(worker, Exit.void))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      yield* startRunWorker({ logBytesMax: 1_000 })
      assert.deepInclude(yield* soon(run), { status: "failed", errorCode: "output_too_large", attempt: 1 })
      assert.strictEqual(executions, 1)
    }).pipe(Effect.scoped, Effect.provide(memory(hangs)))
  })
})
