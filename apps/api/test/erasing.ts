/** Erasing over Postgres and its queue, workers included, for the suites that look for what is left. */
import { ClosingSeconds, Platform } from "@agent-platform/platform"
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { sumsOf, tablesWith } from "./canaries.ts"
import { layerPorts } from "./overPostgres.ts"
import { layerOver, type Tenant, TestApi } from "./support.ts"

const lines: Array<string> = []
const logged = Logger.layer([
  Logger.make((entry) => void lines.push(JSON.stringify([entry.message, String(entry.cause)])))
])

/** The API with its workers, which leave a closed tenant alone for a second. */
export const layerWithWorkers = Layer.suspend(() =>
  Platform.layerWorkers({
    demo: "full",
    runs: { drainSeconds: 0 },
    erasures: { pauseSeconds: 0.05, pollSeconds: 0.2 }
  }).pipe(
    Layer.provide(Layer.succeed(ClosingSeconds, 1)),
    Layer.provideMerge(layerOver(layerPorts, { logger: logged })),
    Layer.provide(logged)
  )
)

const SPEND = { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000_000, output_tokens: 1_000_000 }

/** A text that is nowhere else, and too large for a row. */
export const aCanary = () => `canary-${crypto.randomUUID()}`
const large = (canary: string) => `${canary} ${"x".repeat(20_000)} ${canary}`

/** Looks until there is something. */
export const until = <A>(what: string, look: Effect.Effect<A | undefined, never, TestApi>) =>
  Effect.gen(function* () {
    for (let count = 0; count < 1_500; count++) {
      const found = yield* look
      if (found !== undefined) return found
      yield* Effect.sleep("20 millis")
    }
    return assert.fail(
      `It is waited in vain for ${what}: ${lines.filter((line) => !/ \d{3} \d+ ms/.test(line)).at(-1)}`
    )
  })

/** Keys that may erase. */
export const eraserOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  return {
    key: yield* api.keyWith(tenant, { scopes: ["data:erase"] }),
    orgKey: yield* api.keyWith(tenant, { scopes: ["data:erase", "org:admin"], organization: true })
  }
})

/** Erases, and waits for the end. */
export const erased = Effect.fnUntraced(function* (method: string, path: string, key: string) {
  const api = yield* TestApi
  const preview = yield* api.call(method, `${path}?dry_run=true`, { key })
  const asked = yield* api.call(method, path, { key })
  assert.strictEqual(asked.status, 202, asked.text)
  const location = `/api/v1/erasures/${asked.json["id"]}`
  assert.strictEqual(asked.headers.get("location"), location)
  const again = yield* api.call(method, path, { key })
  if (again.status === 202) assert.strictEqual(String(again.json["id"]), String(asked.json["id"]))
  const done = yield* until(
    `the end of ${path}`,
    Effect.map(api.call("GET", location, { key }), ({ json }) => (String(json["state"]) === "done" ? json : undefined))
  )
  // A dry run has counted every kind of what is gone, but for what the erasure made itself: it cancels runs, which is counted as notices.
  const gone = Object.entries(done["counts"] as unknown as Record<string, { readonly done: number }>)
  const kinds = gone.filter(([kind, count]) => count.done > 0 && kind !== "readers").map(([kind]) => kind)
  assert.includeMembers(Object.keys(preview.json["counts"] as object), kinds)
  return done
})

/** An agent with the canary in everything that it takes. */
export const agentWith = Effect.fnUntraced(function* (tenant: Tenant, canary: string) {
  const api = yield* TestApi
  const { json, status, text } = yield* api.call("POST", "/api/v1/agents", {
    key: tenant.workspaceKey,
    body: { name: canary, description: canary, instructions: large(canary) },
    headers: { "idempotency-key": canary }
  })
  assert.strictEqual(status, 201, text)
  yield* api.call("POST", `/api/v1/agents/${json["agent_id"]}/webhooks`, {
    key: tenant.workspaceKey,
    body: { verification: "github", secret: canary }
  })
  return String(json["agent_id"])
})

/** A run with the canary in everything that it takes; it calls a model, says something and asks a question. */
export const runWith = Effect.fnUntraced(function* (
  tenant: Tenant,
  agent_id: string,
  canary: string,
  session_id?: string
) {
  const api = yield* TestApi
  const { json, status, text } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    headers: { "idempotency-key": `${canary}${crypto.randomUUID()}` },
    body: {
      agent_id,
      ...(session_id === undefined ? {} : { session_id }),
      message: large(canary),
      input: { steps: [{ spend: SPEND }, { say: large(canary) }, { ask: canary }] },
      metadata: { customer: canary },
      tags: [canary],
      wait_seconds: 30
    }
  })
  assert.strictEqual(`${status} ${json["status"]}`, "202 succeeded", text)
  return { runId: String(json["run_id"]), sessionId: String(json["session_id"]) }
})

/** Waits until so many runs and calls are counted, and answers the sums. */
export const counted = (tenant: Tenant, runs: number) =>
  until(
    "the roll-ups",
    Effect.map(sumsOf(tenant.organizationId), (sums) =>
      Number(sums?.["runs"]) === runs && sums?.["usage"] !== "0" ? sums : undefined
    )
  )

/** Demands that the text is nowhere: in no table, and in no line of the log. */
export const gone = Effect.fnUntraced(function* (canary: string) {
  assert.deepStrictEqual(yield* tablesWith(canary), [])
  assert.deepStrictEqual(
    lines.filter((line) => line.includes(canary)),
    []
  )
})

/** Only the status of an answer. */
export const statusOf = (method: string, path: string, key: string) =>
  Effect.flatMap(TestApi, (api) => Effect.map(api.call(method, path, { key }), ({ status }) => status))
