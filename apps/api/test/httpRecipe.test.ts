/** An agent of one's own, from the trigger to the end of its run: the real way out, a real server on loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { EgressGuard } from "@agent-platform/egress"
import { Platform } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Queue } from "effect"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { layerMemory, layerOver, TestApi } from "./support.ts"

const ports = Layer.merge(layerMemory, EgressGuard.layer({ allowLoopback: true }))
const layerWithAgents = Platform.layerWorkers({ demo: "full", runs: { drainSeconds: 0 } }).pipe(
  Layer.provideMerge(layerOver(ports)),
  Layer.provide(Logger.layer([]))
)

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

/** A server whose every request is handed to the test, and an agent of a fresh workspace that it is. */
const given = Effect.gen(function* () {
  const arrivals = yield* Queue.unbounded<Arrival>()
  const closed = yield* Queue.unbounded<void>()
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece
    })
    request.on("end", () => Queue.offerUnsafe(arrivals, { request, response, body }))
    response.on("close", () => Queue.offerUnsafe(closed, undefined))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`
  const api = yield* TestApi
  const { workspaceKey: key } = yield* api.tenant
  const agent = yield* api.call("POST", "/api/v1/agents", {
    key,
    body: { name: "Mine", recipe: "http", endpoint: { url } }
  })
  const run = yield* api.call("POST", "/api/v1/runs/", {
    key,
    body: { agent_id: String(agent.json["agent_id"]), message: "Hello", input: { a: 1 } }
  })
  const path = `/api/v1/runs/${run.json["run_id"]}`
  return {
    api,
    key,
    run: run.json,
    secret: String(agent.json["endpoint"]!["signing_secret"]),
    arrival: yield* Queue.take(arrivals),
    closed: Queue.take(closed),
    ended: Effect.map(api.call("GET", `${path}?wait_seconds=20`, { key }), ({ json }) => json),
    log: Effect.map(api.call("GET", `${path}/logs`, { key, headers: { accept: "application/json" } }), ({ json }) =>
      (json["items"] as unknown as ReadonlyArray<{ type: string }>).map(({ type }) => type)
    )
  }
})

layer(layerWithAgents, { excludeTestServices: true })("a run of an agent of one's own", (it) => {
  it.effect("is asked for by a request that the libraries of receivers verify, and ends with what is answered", () =>
    Effect.gen(function* () {
      const { arrival, ended, log, run, secret } = yield* given
      const { body, request, response } = arrival
      const headers = request.headers as Record<string, string>
      new Webhook(secret).verify(body, headers)
      const stripe = new Stripe("sk_test_unused")
      stripe.webhooks.constructEvent(body, headers["x-service-signature"]!, secret)
      assert.deepInclude(JSON.parse(body), { run_id: run["run_id"], message: "Hello", input: { a: 1 }, attempt: 1 })
      response.write('{"type": "message.delta", "text": "Hi"}\n')
      response.end('{"type": "result", "result": {"b": 2}, "message": "Hi"}\n')
      const after = yield* ended
      assert.strictEqual(String(after["status"]), "succeeded")
      assert.deepStrictEqual(after["result"] as unknown, { b: 2 })
      assert.deepStrictEqual(yield* log, ["run.queued", "run.started", "message.delta", "run.succeeded"])
    }).pipe(Effect.scoped)
  )

  it.effect("fails when the answer breaks off after it has said much", () =>
    Effect.gen(function* () {
      const { arrival, ended } = yield* given
      arrival.response.write('{"type": "message.delta", "text": "Hi"}\n{"type": "res')
      arrival.response.destroy()
      const after = yield* ended
      assert.strictEqual(`${after["status"]} ${after["error_code"]}`, "failed agent_error")
    }).pipe(Effect.scoped)
  )

  it.effect("fails for what is nested too deep, and for that alone", () =>
    Effect.gen(function* () {
      const [bad, good] = [yield* given, yield* given]
      bad.arrival.response.end(`{"type": "result", "result": ${"[".repeat(6_000)}${"]".repeat(6_000)}}\n`)
      const after = yield* bad.ended
      assert.strictEqual(`${after["status"]} ${after["error_code"]}`, "failed agent_error")
      assert.strictEqual(String(after["error"]), "Line 1 of the agent's answer is nested deeper than 100 levels")
      good.arrival.response.end('{"type": "result", "result": 1}\n')
      assert.strictEqual(String((yield* good.ended)["status"]), "succeeded")
    }).pipe(Effect.scoped)
  )

  it.effect("leaves its signing secret nowhere, though the agent repeats it", () =>
    Effect.gen(function* () {
      const { arrival, ended, secret } = yield* given
      const said = `${secret} and ${secret.slice(6)}`
      arrival.response.end(`${JSON.stringify({ type: "result", result: { said }, message: said })}\n`)
      const after = yield* ended
      const redacted = "[redacted: secret] and [redacted: secret]"
      assert.deepStrictEqual([after["message"], after["result"]] as unknown, [redacted, { said: redacted }])
    }).pipe(Effect.scoped)
  )

  it.effect("closes the connection when it is cancelled", () =>
    Effect.gen(function* () {
      const { api, arrival, closed, ended, key, run } = yield* given
      arrival.response.write('{"type": "message.delta", "text": "Hi"}\n')
      yield* api.call("POST", `/api/v1/sessions/${run["session_id"]}/cancel`, { key, body: { mode: "immediate" } })
      yield* closed
      assert.strictEqual(String((yield* ended)["status"]), "cancelled")
    }).pipe(Effect.scoped)
  )

  it.effect("goes on with the reply to its question as another turn", () =>
    Effect.gen(function* () {
      const { api, arrival, ended, key, run } = yield* given
      arrival.response.end('{"type": "pause", "message": "Shall I?", "interrupt": {"amount": "3.00"}}\n')
      const paused = yield* ended
      assert.deepStrictEqual([paused["paused"], paused["message"]] as unknown, [true, "Shall I?"])
      const reply = yield* api.call("POST", `/api/v1/sessions/${run["session_id"]}/messages`, {
        key,
        body: { message: "Yes", decision: "approve" }
      })
      assert.strictEqual(String(reply.json["resumes_run_id"]), String(run["run_id"]))
    }).pipe(Effect.scoped)
  )
})
