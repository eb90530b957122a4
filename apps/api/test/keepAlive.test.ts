import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { KEEP_ALIVE_SECONDS } from "../src/streams.ts"
import { anAgent, layer as layerApi, TestApi } from "./support.ts"

layer(layerApi)("an event stream that has nothing to say", (it) => {
  // Proxies and load balancers cut connections that are silent for a while.
  it.effect("says so every 15 seconds", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const run = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body: { agent_id } })
      const response = yield* api.fetch("GET", `/api/v1/runs/${run.json["run_id"]}/logs`, { key: tenant.workspaceKey })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const read = Effect.promise(() => reader.read())
      assert.match((yield* read).value ?? "", /^id: 1\nevent: run\.queued\n/)
      for (let round = 0; round < 3; round++) {
        yield* TestClock.adjust(`${KEEP_ALIVE_SECONDS} seconds`)
        assert.strictEqual((yield* read).value, ": keep-alive\n\n")
      }
      yield* Effect.promise(() => reader.cancel())
    })
  )
})
