/** The tools of one answer, which work side by side: their order, their bound, and a worker that dies between two results. */
import type { ServerResponse } from "node:http"
import { CheckpointStore, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { type Answer, ScriptedServer } from "./ScriptedServer.ts"
import { aChatAgent, aKey, ended, founded, layer, logOf, trigger } from "./support.ts"
import { calls, says } from "./wire.ts"

/** An agent whose model calls for these tools at once and then says that it is done; each request of a tool waits for its release. */
const given = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const caller = yield* founded()
  yield* aKey(caller)
  const agent = yield* aChatAgent(caller, { tools: ["http_request"] })
  const server = yield* ScriptedServer
  const held = new Map<string, ServerResponse>()
  let most = 0
  const router: Answer = (response, asked) => {
    if (asked.url !== "/v1/chat/completions") {
      held.set(asked.url.slice(1), response)
      most = Math.max(most, held.size)
      return
    }
    const isAsked = asked.text.includes('"role":"tool"')
    const made = names.map((id) => ({ id, name: "http_request", input: { url: `${server.url}/${id}` } }))
    const answer = isAsked ? says("Done.") : calls(...made)
    answer(response, asked)
  }
  server.script(router)
  return {
    caller,
    agent,
    server,
    held,
    most: () => most,
    until: (isSo: () => boolean) => server.until(isSo),
    release: (name: string) =>
      Effect.sync(() => {
        held.get(name)?.writeHead(200).end(`the result of ${name}`)
        held.delete(name)
      }),
    askedFor: (url: string) => server.asked.filter((asked) => asked.url === url).length
  }
})

/** Waits until the log says that this call is done. */
const completed = Effect.fnUntraced(function* (
  caller: Parameters<typeof logOf>[0],
  runId: Parameters<typeof logOf>[1],
  id: string
) {
  for (let tries = 0; tries < 500; tries++) {
    const log = yield* logOf(caller, runId)
    if (log.some(({ data, type }) => type === "tool.completed" && data["tool_call_id"] === `1.${id}`)) return
    yield* Effect.sleep(10)
  }
  return yield* Effect.die(new Error(`The call ${id} is not done`))
})

const resultsOf = (server: ScriptedServer["Service"]) => {
  const messages = server.asked.at(-1)?.body["messages"] as unknown as ReadonlyArray<Record<string, unknown>>
  return messages
    .filter(({ role }) => role === "tool")
    .map(({ content, tool_call_id }) => `${tool_call_id}: ${JSON.parse(String(content)).body}`)
}

const NAMES = ["a", "b", "c"]
const IN_ORDER = NAMES.map((name) => `${name}: the result of ${name}`)

describe("the tools of one answer", () => {
  it.live("work side by side, and their results stand in the order of the calls, whichever came first", () =>
    Effect.gen(function* () {
      const { agent, caller, held, release, server, until } = yield* given(...NAMES)
      yield* startRunWorker({ drainSeconds: 0 })
      const run = yield* trigger(caller, agent)
      yield* until(() => held.size === 3)
      for (const name of NAMES.toReversed()) {
        yield* release(name)
        yield* completed(caller, run.id, name)
      }
      assert.deepInclude(yield* ended(caller, run.id), { status: "succeeded", message: "Done." })
      assert.deepStrictEqual(resultsOf(server), IN_ORDER)
      const log = yield* logOf(caller, run.id)
      const seen = log.flatMap(({ data, type }) =>
        type.startsWith("tool.") ? [`${type} ${data["tool_call_id"]}`] : []
      )
      assert.deepStrictEqual(seen, [
        ...NAMES.map((name) => `tool.started 1.${name}`),
        ...NAMES.toReversed().map((name) => `tool.completed 1.${name}`)
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are at most eight at once", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 11 }, (_, index) => `t${index}`)
      const { agent, askedFor, caller, held, most, release, until } = yield* given(...names)
      yield* startRunWorker({ drainSeconds: 0 })
      const run = yield* trigger(caller, agent)
      for (const [done, name] of names.entries()) {
        yield* until(() => held.size === Math.min(8, names.length - done))
        yield* release(name)
      }
      assert.deepInclude(yield* ended(caller, run.id), { status: "succeeded", message: "Done." })
      assert.strictEqual(most(), 8)
      assert.deepStrictEqual(new Set(names.map((name) => askedFor(`/${name}`))), new Set([1]))
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("are repeated by another worker only where they had no result when theirs died", () =>
    Effect.gen(function* () {
      const { agent, askedFor, caller, held, release, server, until } = yield* given(...NAMES)
      const first = yield* Scope.make()
      yield* Scope.provide(startRunWorker({ drainSeconds: 0 }), first)
      const run = yield* trigger(caller, agent)
      yield* until(() => held.size === 3)
      yield* release("b")
      const kept = CheckpointStore.use((store) => store.load(run.workspaceId, run.id))
      while (!JSON.stringify((yield* kept) ?? null).includes("the result of b")) yield* Effect.sleep(5)
      yield* Scope.close(first, Exit.void)
      held.clear()
      yield* startRunWorker({ drainSeconds: 0 })
      yield* until(() => held.size === 2)
      for (const name of ["c", "a"]) yield* release(name)
      assert.deepInclude(yield* ended(caller, run.id), { status: "succeeded", message: "Done." })
      assert.deepStrictEqual([askedFor("/a"), askedFor("/b"), askedFor("/c")], [2, 1, 2])
      assert.strictEqual(askedFor("/v1/chat/completions"), 2)
      assert.deepStrictEqual(resultsOf(server), IN_ORDER)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
