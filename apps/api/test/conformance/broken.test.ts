/** The walk finds faults: in handlers that are broken, and in answers that are changed on their way. */
import { AgentStore } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { layerMemory, layerOver, type TestApi } from "../support.ts"
import type { Operation } from "./document.ts"
import type { Given } from "./judge.ts"
import { walk } from "./walk.ts"

/** Twice over every operation, and a bit. */
const REQUESTS = 240

const over = <A, E>(layer: Layer.Layer<A, E>) => Layer.provide(layer, Logger.layer([]))

const faultsOver = (
  layer: Layer.Layer<TestApi | Effect.Services<ReturnType<typeof walk>>, unknown>,
  tamper?: (operation: Operation, given: Given) => Given
) =>
  walk({ requests: REQUESTS, seed: 7, ...(tamper === undefined ? {} : { tamper }) }).pipe(
    Effect.map(({ faults }) => faults.map((fault) => fault.split("\n")[0] ?? "")),
    Effect.provide(over(layer)),
    Effect.orDie
  )

const sound = layerOver(layerMemory)

/** A store whose agents have no name. */
const nameless = layerOver(
  Layer.provideMerge(
    Layer.effect(
      AgentStore,
      AgentStore.use((store) =>
        Effect.succeed({
          ...store,
          recall: (...args: Parameters<typeof store.recall>) =>
            Effect.map(store.recall(...args), (agent) => agent && { ...agent, name: undefined as never })
        })
      )
    ),
    layerMemory
  )
)

/** Changes the answers of operations that succeed, as a handler with a fault would. */
const changing =
  (change: (body: Record<string, unknown>) => unknown, only = /^GET /) =>
  (operation: Operation, given: Given): Given =>
    only.test(operation.name) && given.status === 200 && given.text?.startsWith("{")
      ? { ...given, text: JSON.stringify(change(JSON.parse(given.text))) }
      : given

const tampered: ReadonlyArray<readonly [string, (operation: Operation, given: Given) => Given, RegExp]> = [
  [
    "a member that is missing",
    changing(({ items: _, agent_id: __, id: ___, ...rest }) => rest),
    /breaks its schema: .* must have required property/
  ],
  ["a member of another type", changing((body) => ({ ...body, next_cursor: 7 })), /breaks its schema: \/next_cursor/],
  ["a status that is not documented", (_, given) => ({ ...given, status: 418 }), /is 418, which is not documented/],
  [
    "another media type",
    (_, given) => ({ ...given, headers: { ...given.headers, "content-type": "text/plain" } }),
    /is text\/plain, which is not documented/
  ],
  [
    "the stack of an error",
    (_, given) =>
      given.status === 404 && given.text !== undefined
        ? { ...given, text: given.text.replace("There is", "at Object.find (/srv/app/store.ts:7) There is") }
        : given,
    /reveals internals/
  ],
  [
    "a body that was taken although it breaks its schema",
    (_, given) => (given.status === 422 ? { ...given, status: 201 } : given),
    /accepts a body that the document refuses/
  ]
]

describe("the walk", () => {
  it.live("finds nothing in the API as it is", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOver(sound), [])
    })
  )

  it.live("finds a handler that fails", () =>
    Effect.gen(function* () {
      const faults = yield* faultsOver(nameless)
      assert.include(faults, "GET /api/v1/agents/{agent_id}: the answer is 500")
    })
  )

  for (const [what, tamper, fault] of tampered) {
    it.live(`finds ${what}`, () =>
      Effect.gen(function* () {
        const faults = yield* faultsOver(sound, tamper)
        assert.isTrue(
          faults.some((one) => fault.test(one)),
          faults.slice(0, 5).join("\n")
        )
      })
    )
  }
})
