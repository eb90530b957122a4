/** Records of runs that logged as much as they may, while they are sent. docs/http.md, Records. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { aRunThatLogged, LINES, unread } from "./largeRuns.ts"
import { layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("the record of a run with a large log", (it) => {
  it.effect("waits for its reader with little in hand, in every format", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* aRunThatLogged(tenant, LINES.slice(0, 150))
      for (const accept of ["application/json", "text/html", "text/markdown"]) {
        const { response, socket } = yield* unread(`${path}/record`, tenant.workspaceKey, accept)
        assert.isBelow(response.writableLength, 256 * 1024, accept)
        socket.destroy()
      }
    }).pipe(Effect.scoped)
  )
})

layer(layerApi)("records that nobody reads", (it) => {
  it.effect("hold up no more than those of their organization, and not for long", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      const path = `${yield* aRunThatLogged(tenant, LINES.slice(0, 150))}/record`
      const foreign = `${yield* aRunThatLogged(stranger, LINES.slice(0, 1))}/record`
      const ask = api.call("GET", path, { key: tenant.workspaceKey })
      const first = yield* unread(path, tenant.workspaceKey, "application/json")
      const second = yield* unread(path, tenant.workspaceKey, "application/json")
      const third = yield* Effect.forkChild(ask)
      assert.strictEqual((yield* api.call("GET", foreign, { key: stranger.workspaceKey })).status, 200)
      yield* TestClock.adjust("10 seconds")
      const { headers, json, status } = yield* Fiber.join(third)
      assert.strictEqual(`${status} ${json["code"]}`, "429 too_many_streams")
      assert.strictEqual(headers.get("retry-after"), "5")
      const fourth = yield* Effect.forkChild(ask)
      first.socket.destroy()
      assert.strictEqual((yield* Fiber.join(fourth)).status, 200)
      yield* TestClock.adjust("300 seconds")
      second.socket.resume()
      yield* Effect.callback<void>((resume) => void second.socket.on("close", () => resume(Effect.void)))
      assert.isFalse(second.response.writableFinished)
    }).pipe(Effect.scoped)
  )
})
