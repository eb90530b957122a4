/** The typed client against answers as they come over the wire. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Schema, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { Client, NotFound } from "../src/index.ts"

const RUN = {
  run_id: "r",
  session_id: "s",
  workspace_id: "w",
  agent_id: "a",
  recipe: "demo",
  agent_version: null,
  model: null,
  status: "succeeded",
  paused: false,
  message: null,
  interrupt: null,
  interrupt_truncated: false,
  input: { a: 1 },
  result: "x",
  error: null,
  error_code: null,
  finish_reason: null,
  attempt: 1,
  max_attempts: 1,
  trigger: { type: "api", id: null },
  resumes_run_id: null,
  resumed_by_run_id: null,
  created_at: "2026-11-21T05:15:00.123Z",
  started_at: "2026-11-21T05:15:00.200Z",
  finished_at: null,
  cancel_requested_at: null,
  cost_usd: "0.00027",
  usage: {
    requests: 1,
    input_tokens: 2,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 3,
    reasoning_tokens: 0
  },
  metadata: { camelCase: "kept", snake_case: "kept" },
  tags: [],
  prompt: "Hello",
  overrides: null,
  run_at: null,
  ttl_seconds: null,
  priority: 0,
  max_duration_seconds: 3600,
  max_cost_usd: null
}

/** A client whose every request is answered by `answer` and kept in `requests`. */
const clientOf = (answer: () => Response, workspaceId?: string) => {
  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const http = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) => {
      requests.push(request)
      return Effect.succeed(HttpClientResponse.fromWeb(request, answer()))
    })
  )
  const layer = Client.layer({ baseUrl: "https://agents.test", apiKey: Redacted.make("apk_ws_x"), workspaceId })
  return { requests, layer: Layer.provide(layer, http) }
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

describe("the client", () => {
  it.effect("sends snake_case and the key, and reads camelCase and moments", () =>
    Effect.gen(function* () {
      const { layer, requests } = clientOf(json(202, RUN, { location: "/api/v1/runs/r" }), "w")
      const { body, headers } = yield* Effect.provide(
        Effect.flatMap(Client, (client) =>
          client.runs.triggerRun({
            headers: { "idempotency-key": "k" },
            payload: {
              agentId: "a",
              message: "Hello",
              priority: 0,
              maxDurationSeconds: 60,
              maxAttempts: 1,
              ifBusy: "enqueue",
              waitSeconds: 5,
              runAt: DateTime.makeUnsafe("2026-11-21T05:15:00Z"),
              metadata: { camelCase: "kept" }
            }
          })
        ),
        layer
      )
      const [request] = requests
      assert.strictEqual(request?.url, "https://agents.test/api/v1/runs/")
      assert.strictEqual(request?.headers["authorization"], "Bearer apk_ws_x")
      assert.strictEqual(request?.headers["x-workspace-id"], "w")
      assert.strictEqual(request?.headers["idempotency-key"], "k")
      const sent =
        request?.body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(request.body.body)) : undefined
      assert.deepStrictEqual(sent, {
        agent_id: "a",
        message: "Hello",
        priority: 0,
        max_duration_seconds: 60,
        max_attempts: 1,
        if_busy: "enqueue",
        wait_seconds: 5,
        run_at: "2026-11-21T05:15:00.000Z",
        metadata: { camelCase: "kept" }
      })
      assert.strictEqual(headers.location, "/api/v1/runs/r")
      assert.isUndefined(headers["idempotency-replayed"])
      assert.strictEqual(body.runId, "r")
      assert.strictEqual(body.usage?.inputTokens, 2)
      assert.strictEqual(DateTime.toEpochMillis(body.createdAt), Date.parse("2026-11-21T05:15:00.123Z"))
      assert.isNull(body.finishedAt)
      assert.deepStrictEqual(body.metadata, RUN.metadata)
    })
  )

  it.effect("survives members that a later version adds to an answer", () =>
    Effect.gen(function* () {
      const { layer } = clientOf(json(200, { ...RUN, colour: "red" }))
      const run = yield* Effect.provide(
        Effect.flatMap(Client, (client) =>
          client.runs.getRun({ params: { run_id: "r" }, query: { wait_seconds: 10 } })
        ),
        layer
      )
      assert.strictEqual(run.costUsd, "0.00027")
    })
  )

  it.effect("fails with the problem that it was answered, as its class", () =>
    Effect.gen(function* () {
      const problem = {
        type: "https://agents.test/problems/not_found",
        title: "Not found",
        status: 404,
        detail: "There is no such resource",
        instance: "/api/v1/runs/r",
        code: "not_found",
        request_id: "q",
        retryable: false
      }
      const { layer } = clientOf(json(404, problem, { "content-type": "application/problem+json" }))
      const failure = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(Client, (client) =>
            client.runs.getRun({ params: { run_id: "r" }, query: { wait_seconds: 0 } })
          ),
          layer
        )
      )
      assert.isTrue(failure instanceof NotFound)
      if (failure instanceof NotFound) assert.deepStrictEqual<unknown>(Schema.encodeSync(NotFound)(failure), problem)
    })
  )

  it.effect("follows a log event by event", () =>
    Effect.gen(function* () {
      const event = {
        run_id: "r",
        session_id: "s",
        seq: 1,
        type: "run.queued",
        created_at: RUN.created_at,
        attempt: 0,
        data: {}
      }
      const text = `: hello\n\nid: 1\nevent: run.queued\ndata: ${JSON.stringify(event)}\n\n: keep-alive\n\n`
      const { layer } = clientOf(
        () => new Response(text, { status: 200, headers: { "content-type": "text/event-stream" } })
      )
      const log = yield* Effect.provide(
        Effect.flatMap(Client, (client) =>
          client.runs.getRunLog({ params: { run_id: "r" }, query: { after: 0, limit: 500 }, headers: {} })
        ),
        layer
      )
      assert.isTrue(Stream.isStream(log))
      if (!Stream.isStream(log)) return
      const events = yield* Stream.runCollect(log)
      assert.deepStrictEqual(Array.from(events), [
        {
          id: "1",
          event: "run.queued",
          data: {
            runId: "r",
            sessionId: "s",
            seq: 1,
            type: "run.queued",
            createdAt: DateTime.makeUnsafe(RUN.created_at),
            attempt: 0,
            data: {}
          }
        }
      ])
    })
  )
})
