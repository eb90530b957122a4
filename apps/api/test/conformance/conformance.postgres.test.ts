/**
 * The API over Postgres, held to its own OpenAPI document by requests by chance: `CONFORMANCE_REQUESTS` of them, from
 * `CONFORMANCE_SEED` on. Requests go beside each other, so a seed begins a walk again and does not repeat it to the letter.
 */
import { Platform } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { layerPorts } from "../overPostgres.ts"
import { layerOver } from "../support.ts"
import { operations } from "./document.ts"
import { walk } from "./walk.ts"

const REQUESTS = Number(process.env["CONFORMANCE_REQUESTS"] ?? 1_300)
const SEED = Number(process.env["CONFORMANCE_SEED"] ?? 20_261_121)

/** Those that a walk by chance does not get through: they take a code of an identity provider, or what an agent is given. */
const NEVER_SUCCEED = [
  "GET /api/v1/auth/oauth/{provider}/login",
  "GET /api/v1/auth/oauth/{provider}/callback",
  "POST /api/v1/runs/{run_id}/callback",
  "POST /api/v1/gateway/chat/completions",
  "POST /api/v1/gateway/responses"
]

const served = Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
  Layer.provideMerge(layerOver(layerPorts)),
  Layer.provide(Logger.layer([]))
)

layer(served, { excludeTestServices: true, timeout: "300 seconds" })("the API, asked by chance", (it) => {
  it.effect(
    "answers every operation as its OpenAPI document says, and nothing with 5xx",
    () =>
      Effect.gen(function* () {
        const startedAt = performance.now()
        const spentBefore = process.cpuUsage()
        const { answers, faults, requests, slowest } = yield* walk({
          requests: REQUESTS,
          seed: SEED,
          insist: 40,
          except: NEVER_SUCCEED
        })
        const seconds = (performance.now() - startedAt) / 1000
        const { system, user } = process.cpuUsage(spentBefore)
        const statuses = new Map<number, number>()
        for (const counts of answers.values()) {
          for (const [status, count] of counts) statuses.set(status, (statuses.get(status) ?? 0) + count)
        }
        const shown = [...statuses].toSorted(([one], [other]) => one - other).map((pair) => pair.reverse().join(" × "))
        console.log(
          `${requests} requests to ${operations.length} operations in ${seconds.toFixed(1)} s ` +
            `(${((system + user) / 1000 / requests).toFixed(1)} ms of processor time each; ` +
            `the slowest answer, ${slowest.name}, ${Math.round(slowest.millis)} ms), seed ${SEED}: ${shown.join(", ")}`
        )
        assert.strictEqual(faults.length, 0, `${faults.length} faults:\n${faults.join("\n")}`)
        // A walk that is refused everywhere would show nothing.
        const succeeded = [...answers].filter(([, counts]) => [...counts.keys()].some((status) => status < 300))
        const never = operations.map(({ name }) => name).filter((name) => !succeeded.some(([one]) => one === name))
        assert.sameMembers(never, NEVER_SUCCEED)
      }),
    // Seconds on a machine of its own; others may need most of this one.
    Math.max(300_000, REQUESTS * 100)
  )
})
