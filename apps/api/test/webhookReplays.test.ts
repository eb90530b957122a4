/** Replays of ranges. Spec: Organization webhooks. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, layer as layerApi, layerWithWorkers, TestApi } from "./support.ts"

const WEBHOOKS = "/api/v1/org/webhooks"
const SINCE = "2025-01-21T05:15:00Z"

const registered = Effect.gen(function* () {
  const api = yield* TestApi
  const { orgKey } = yield* api.tenant
  const { json } = yield* api.call("POST", WEBHOOKS, { key: orgKey, body: { url: "https://example.com/" } })
  const call = (method: string, rest: string, body?: object, headers: Record<string, string> = {}) =>
    api.call(method, `${WEBHOOKS}${rest}`, { key: orgKey, headers, ...(body === undefined ? {} : { body }) })
  return { call, id: String(json["id"]) }
})

layer(layerApi, { excludeTestServices: true })("POST /api/v1/org/webhooks/{endpoint_id}/replay", (it) => {
  it.effect("answers 202 with the replay and its address", () =>
    Effect.gen(function* () {
      const { call, id } = yield* registered
      const started = yield* call("POST", `/${id}/replay`, { since: SINCE, until: "2025-01-21T06:15:00+01:00" })
      assert.strictEqual(started.status, 422, "an empty range is a mistake")
      const body = { since: SINCE, until: "2025-01-21T08:00:00+01:00", status: "all" }
      const { headers, json, status } = yield* call("POST", `/${id}/replay`, body)
      assert.strictEqual(status, 202)
      const { created_at, id: replayId, ...rest } = json as unknown as Record<string, unknown>
      assert.deepStrictEqual(rest, {
        endpoint_id: id,
        state: "pending",
        state_reason: null,
        since: "2025-01-21T05:15:00.000Z",
        until: "2025-01-21T07:00:00.000Z",
        status: "all",
        replayed_count: 0,
        progressed_to: null,
        started_at: null,
        finished_at: null
      })
      assert.isString(created_at)
      assert.strictEqual(headers.get("location"), `${WEBHOOKS}/replays/${replayId}`)
      const read = yield* call("GET", `/replays/${replayId}`)
      assert.deepStrictEqual(read.json as unknown, json as unknown)
    })
  )

  it.effect("lists the replays of an endpoint page by page, and a deleted endpoint where it is asked for", () =>
    Effect.gen(function* () {
      const { call, id } = yield* registered
      const [one, two] = [
        yield* call("POST", `/${id}/replay`, { since: SINCE }),
        yield* call("POST", `/${id}/replay`, { since: SINCE })
      ]
      const first = yield* call("GET", `/${id}/replays?limit=1`)
      assert.deepStrictEqual(first.json["items"] as unknown, [two.json])
      const second = yield* call("GET", `/${id}/replays?limit=1&cursor=${String(first.json["next_cursor"])}`)
      assert.deepStrictEqual(second.json as unknown, { items: [one.json], next_cursor: null })
      yield* call("DELETE", `/${id}`)
      assert.strictEqual((yield* call("GET", `/${id}/replays`)).status, 200)
      assert.deepStrictEqual((yield* call("GET", "/replays")).json as unknown, {
        items: [two.json, one.json].map((replay) => ({ ...replay, state: "pending" })),
        next_cursor: null
      })
      for (const [query, listed] of [
        ["", []],
        ["?include_deleted=false", []],
        ["?include_deleted=true", [(yield* call("GET", `/${id}`)).json]]
      ] as const) {
        assert.deepStrictEqual((yield* call("GET", query)).json["items"] as unknown, listed, query)
      }
      const wrong = yield* call("GET", "?include_deleted=maybe")
      assert.strictEqual(String(wrong.json["errors"]![0]!["pointer"]), "?include_deleted")
    })
  )

  it.effect("replays the dead until now unless the body says otherwise, and once for one idempotency key", () =>
    Effect.gen(function* () {
      const { call, id } = yield* registered
      const first = yield* call("POST", `/${id}/replay`, { since: SINCE }, { "idempotency-key": "k" })
      assert.strictEqual(String(first.json["status"]), "dead")
      assert.strictEqual(String(first.json["until"]), String(first.json["created_at"]))
      const ahead = yield* call("POST", `/${id}/replay`, { since: SINCE, until: "2999-01-01T00:00:00Z" })
      assert.strictEqual(String(ahead.json["until"]), String(ahead.json["created_at"]))
      const again = yield* call("POST", `/${id}/replay`, { since: SINCE }, { "idempotency-key": "k" })
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.strictEqual(String(again.json["id"]), String(first.json["id"]))
    })
  )

  it.effect("answers 422 to ranges that make no sense", () =>
    Effect.gen(function* () {
      const { call, id } = yield* registered
      const pointerOf = ({ json }: Answer) => String(json["errors"]![0]!["pointer"])
      for (const [body, pointer] of [
        [{}, "/since"],
        [{ since: "yesterday" }, "/since"],
        [{ since: "2999-01-01T00:00:00Z" }, "/since"],
        [{ since: SINCE, until: "2025-01-21T05:14:59Z" }, "/until"],
        [{ since: SINCE, status: "delivered" }, "/status"]
      ] as const) {
        const answer = yield* call("POST", `/${id}/replay`, body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.strictEqual(pointerOf(answer), pointer)
      }
    })
  )

  it.effect("answers 409 for a disabled endpoint, and 429 to the sixth replay that has not ended", () =>
    Effect.gen(function* () {
      const { call, id } = yield* registered
      const start = call("POST", `/${id}/replay`, { since: SINCE })
      const answers = yield* Effect.all(
        Array.from({ length: 7 }, () => start),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 202)
      assert.strictEqual(refused.length, 2)
      for (const { headers, json, status } of refused) {
        assert.strictEqual(`${status} ${json["code"]}`, "429 queue_full")
        assert.isNotNull(headers.get("retry-after"))
        assert.isNull(headers.get("ratelimit-policy"))
      }
      yield* call("PATCH", `/${id}`, { status: "disabled" })
      const inactive = yield* start
      assert.strictEqual(`${inactive.status} ${inactive.json["code"]}`, "409 endpoint_inactive")
    })
  )
})

layer(layerWithWorkers, { excludeTestServices: true })("a replay of a range", (it) => {
  describe("by the workers", () => {
    it.effect("sends every delivery of the range again, under the same event ids, and reports its progress", () =>
      Effect.gen(function* () {
        const { call, id } = yield* registered
        const deliveries = Effect.map(call("GET", `/${id}/deliveries`), ({ json }) =>
          (json["items"] as unknown as ReadonlyArray<{ state: string; attempt_count: number; event_id: string }>).map(
            ({ attempt_count, event_id, state }) => `${event_id} ${state} ${attempt_count}`
          )
        )
        const since = new Date(Date.now() - 1000).toISOString()
        const sent = yield* Effect.forEach(Array.from({ length: 3 }), () => call("POST", `/${id}/test`, {}))
        const expected = (attempts: number) =>
          sent.map(({ json }) => `${json["event_id"]} delivered ${attempts}`).reverse()
        const until = (attempts: number) =>
          Effect.repeat(deliveries, { until: (found) => String(found) === String(expected(attempts)) })
        yield* until(1)
        const started = yield* call("POST", `/${id}/replay`, {
          since,
          until: new Date(Date.now() + 1000).toISOString(),
          status: "all"
        })
        yield* until(2)
        const { json } = yield* Effect.repeat(call("GET", `/replays/${started.json["id"]}`), {
          until: (answer) => String(answer.json["state"]) === "completed"
        })
        assert.strictEqual(Number(json["replayed_count"]), 3)
        assert.strictEqual(String(json["progressed_to"]), String(json["until"]))
        assert.isString(json["finished_at"])
      })
    )
  })
})
