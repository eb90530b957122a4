/** Agents of one's own as servers on loopback, and the runs that they are asked to execute. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { EgressGuard } from "@agent-platform/egress"
import { Platform } from "@agent-platform/platform"
import { Effect, Layer, Logger, Queue } from "effect"
import { Webhook } from "standardwebhooks"
import { BASE_URL, type Call, type Json, layerMemory, layerOver, TestApi } from "./support.ts"

const ports = Layer.merge(layerMemory, EgressGuard.layer({ allowLoopback: true }))

/** The API and workers over memory, which call agents on loopback. */
export const layerWithAgents = Platform.layerWorkers({
  demo: "full",
  baseUrl: BASE_URL,
  runs: { drainSeconds: 0, pollSeconds: 0.05 }
}).pipe(Layer.provideMerge(layerOver(ports)), Layer.provide(Logger.layer([])))

/** A request to an agent. */
export interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
  /** The body as JSON. */
  readonly json: Json
}

/** A server whose every request is handed to the test, and an agent of a fresh workspace that it is. */
export const anOwnAgent = Effect.fnUntraced(function* (settings: Readonly<Record<string, unknown>> = {}) {
  const arrivals = yield* Queue.unbounded<Arrival>()
  const closed = yield* Queue.unbounded<void>()
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece
    })
    request.on("end", () => Queue.offerUnsafe(arrivals, { request, response, body, json: JSON.parse(body) }))
    response.on("close", () => Queue.offerUnsafe(closed, undefined))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const { workspaceKey: key } = tenant
  const created = yield* api.call("POST", "/api/v1/agents", {
    key,
    body: { name: "Mine", recipe: "http", endpoint: { url }, ...settings }
  })
  const agent_id = String(created.json["agent_id"])
  const secret = String(created.json["endpoint"]!["signing_secret"])
  const trigger = (body: Readonly<Record<string, unknown>> = {}) =>
    Effect.map(
      api.call("POST", "/api/v1/runs/", { key, body: { agent_id, message: "Hello", input: { a: 1 }, ...body } }),
      ({ json }) => json
    )
  const read = (runId: unknown, query = "") =>
    Effect.map(api.call("GET", `/api/v1/runs/${runId}${query}`, { key }), ({ json }) => json)
  const log = (runId: unknown) =>
    Effect.map(
      api.call("GET", `/api/v1/runs/${runId}/logs`, { key, headers: { accept: "application/json" } }),
      ({ json }) => json["items"] as unknown as ReadonlyArray<{ type: string; attempt: number; data: Json }>
    )
  return { api, tenant, key, url, agentId: agent_id, secret, arrivals, closed, trigger, read, log }
})

/** The request of a callback, signed with this secret. */
export const signed = (secret: string, body: unknown, at = new Date(), id = crypto.randomUUID()): Call => {
  const raw = typeof body === "string" ? body : JSON.stringify(body)
  const signature = new Webhook(secret).sign(id, at, raw)
  return {
    raw,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signature
    }
  }
}
