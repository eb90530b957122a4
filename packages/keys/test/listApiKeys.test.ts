import { Keys } from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { actor, create, founded, memory } from "./support.ts"

describe("listing keys", () => {
  it.effect("gives the owner's keys newest first and page by page, revoked ones included", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside, whole } = yield* founded
      const made = []
      for (let count = 0; count < 5; count++) made.unshift((yield* create(inside)).key)
      yield* create(whole)
      const revoked = yield* keys.revokeApiKey({ owner: inside, id: made[4]!.id, actor })
      const first = yield* keys.listApiKeys({ owner: inside, page: { limit: 3, before: undefined } })
      const second = yield* keys.listApiKeys({ owner: inside, page: { limit: 3, before: first.next } })
      const active = made.map((key) => ({ ...key, status: "active" as const }))
      assert.deepStrictEqual(first.items, active.slice(0, 3))
      assert.deepStrictEqual(second, { items: [active[3]!, { ...revoked, status: "revoked" }], next: undefined })
    }).pipe(Effect.provide(memory))
  )

  it.effect("shows nobody the keys of another workspace or organization", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      const { inside, whole } = yield* founded
      const foreign = yield* founded
      yield* create(inside)
      for (const owner of [whole, foreign.inside, foreign.whole]) {
        assert.isEmpty((yield* keys.listApiKeys({ owner, page: { limit: 50, before: undefined } })).items)
      }
    }).pipe(Effect.provide(memory))
  )
})
