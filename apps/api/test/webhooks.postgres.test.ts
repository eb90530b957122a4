/** Organization webhooks over Postgres and its queue, workers included: a life from registration to deletion. */
import { Platform } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { layerPorts } from "./overPostgres.ts"
import { type Json, layerOver, TestApi } from "./support.ts"

const layerWithWorkers = Layer.suspend(() =>
  Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
    Layer.provideMerge(layerOver(layerPorts)),
    Layer.provide(Logger.layer([]))
  )
)

const WEBHOOKS = "/api/v1/org/webhooks"

layer(layerWithWorkers, { excludeTestServices: true, timeout: "60 seconds" })("an endpoint over Postgres", (it) => {
  it.effect("is tried, followed, switched off and on, replayed and deleted", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const call = (method: string, path: string, body?: object) =>
        api.call(method, `${WEBHOOKS}${path}`, { key: orgKey, ...(body === undefined ? {} : { body }) })
      const until = (path: string, done: (json: Json) => boolean) =>
        Effect.gen(function* () {
          for (let look = 0; look < 1_000; look++) {
            const { json } = yield* call("GET", path)
            if (done(json)) return json
            yield* Effect.sleep("20 millis")
          }
          return assert.fail(`${path} does not come to what is waited for`)
        })
      const { json: endpoint } = yield* call("POST", "", { url: "https://example.com/hooks" })
      const path = `/${endpoint["id"]}`
      const isSettled = (state: string, attempts: number) => (json: Json) =>
        String(json["state"]) === state && Number(json["attempt_count"]) === attempts

      const stream = yield* api.fetch("GET", `${WEBHOOKS}/stream`, { key: orgKey })
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { json: test } = yield* call("POST", `${path}/test`, { event_type: "run.paused" })
      const delivery = `${path}/deliveries/${test["delivery_id"]}`
      yield* until(delivery, isSettled("delivered", 1))
      let text = ""
      while (text.split("\n\n").length < 3) text += (yield* Effect.promise(() => reader.read())).value ?? ""
      const event = `id: ${test["event_id"]}\nevent: run.paused\ndata: {"id":"${test["event_id"]}"`
      assert.match(text, new RegExp(`^id: at:\\d+/[0-9a-f-]+\n\n${event}`))
      yield* Effect.promise(() => reader.cancel())

      yield* call("PATCH", path, { status: "disabled" })
      const refused = yield* call("POST", `${path}/replay`, { since: "2025-01-21T05:15:00Z" })
      assert.strictEqual(`${refused.status} ${refused.json["code"]}`, "409 endpoint_inactive")
      yield* call("POST", `${delivery}/replay`)
      yield* until(delivery, isSettled("delivered", 2))
      yield* call("POST", `${path}/enable`)
      const rotated = yield* call("POST", `${path}/rotate-secret`, { grace_seconds: 60 })
      assert.strictEqual(rotated.status, 201)

      const { json: replay } = yield* call("POST", `${path}/replay`, { since: "2025-01-21T05:15:00Z", status: "all" })
      const ended = yield* until(`/replays/${replay["id"]}`, (json) => String(json["state"]) === "completed")
      assert.strictEqual(Number(ended["replayed_count"]), 1)
      yield* until(delivery, isSettled("delivered", 3))

      const deleted = yield* call("DELETE", path)
      assert.strictEqual(String(deleted.json["status"]), "deleted")
      const kept = yield* call("GET", `${path}/deliveries`)
      assert.strictEqual((kept.json["items"] as unknown as ReadonlyArray<unknown>).length, 1)
    })
  )
})
