import { aCaller } from "@agent-platform/kernel/testing"
import { Webhooks } from "@agent-platform/webhooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { memory, register, storedEndpoint } from "./support.ts"

describe("listing endpoints", () => {
  it.effect("gives the organization's own, newest first and page by page", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const caller = aCaller()
      const made = []
      for (let count = 0; count < 5; count++) made.unshift((yield* register({ caller })).endpoint)
      yield* register()
      const first = yield* webhooks.listEndpoints({ caller, page: { limit: 3, before: undefined } })
      const second = yield* webhooks.listEndpoints({ caller, page: { limit: 3, before: first.next } })
      assert.deepStrictEqual(first.items, made.slice(0, 3))
      assert.deepStrictEqual(second, { items: made.slice(3), next: undefined })
    }).pipe(Effect.provide(memory))
  )

  it.effect("shows disabled endpoints and hides deleted ones", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const disabled = yield* storedEndpoint({ status: "disabled", disabledReason: "nothing but failures" })
      const caller = aCaller({ organizationId: disabled.organizationId })
      yield* storedEndpoint({ organizationId: disabled.organizationId, status: "deleted" })
      const { items } = yield* webhooks.listEndpoints({ caller, page: { limit: 50, before: undefined } })
      assert.deepStrictEqual(items, [disabled])
    }).pipe(Effect.provide(memory))
  )
})
