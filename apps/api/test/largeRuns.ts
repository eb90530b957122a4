/** Runs with large logs, and readers that do not read. */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { OrganizationId, parseId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { type NewRunEvent, Run, RunLog, RunQueue, RunSettlement } from "@agent-platform/runs"
import { freshBy } from "@agent-platform/runs/testing"
import { DateTime, Effect } from "effect"
import { anAgent, type Tenant, TestApi } from "./support.ts"

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** 250 lines that are as long as lines of a log may be, and take several times as much in a page. */
export const LINES = Array.from(
  { length: 250 },
  (_, number) => `${number} ${'some "words" of a log & more '.repeat(2_000)}`
)

/** A run of the tenant that logged these texts and ended well. Answers its path. */
export const aRunThatLogged = Effect.fnUntraced(function* (
  tenant: Tenant,
  texts: ReadonlyArray<string>,
  type: "log" | "message.completed" = "log"
) {
  const [api, log] = [yield* TestApi, yield* RunLog]
  const [queue, settlement] = [yield* RunQueue, yield* RunSettlement]
  const body = { agent_id: yield* anAgent(tenant) }
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
  const workspaceId = parseId(WorkspaceId, tenant.workspaceId)!
  const shares = {
    organizations: new Map([[parseId(OrganizationId, tenant.organizationId)!, { runs: 1, perWorkspace: 0 }]]),
    others: { runs: 0, perWorkspace: 0 },
    workspaces: new Map([[workspaceId, 1]])
  }
  const after = { organization: undefined, workspaces: new Map() }
  const { claimed } = yield* atomic(queue.claim({ by: freshBy(), max: 1, shares, after, leaseSeconds: 3_600 }))
  const { claimToken, run } = claimed[0]!
  const createdAt = yield* DateTime.now
  const events = texts.map((text): NewRunEvent => ({ type, createdAt, attempt: 1, data: { text } }))
  yield* atomic(log.append([{ runId: run.id, claimToken, events }]))
  const ended = Run.finished(run, { status: "succeeded", message: "done", result: "done" }, createdAt)
  yield* atomic(
    Effect.andThen(settlement.hold([{ runId: run.id, claimToken }]), settlement.settle([{ claimToken, run: ended }]))
  )
  return `/api/v1/runs/${json["run_id"]}`
})

/** Records a server's responses in this process while the scope is open, the last one last. */
export const responses = Effect.gen(function* () {
  const all: Array<ServerResponse> = []
  const note = (message: unknown) => {
    all.push((message as { readonly response: ServerResponse }).response)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => subscribe("http.server.request.start", note)),
    () => Effect.sync(() => unsubscribe("http.server.request.start", note))
  )
  return all
})

/** Asks for something and reads nothing of the answer. Answers the response once it waits for its reader, or has no more to say. */
export const unread = Effect.fnUntraced(function* (path: string, key: string, accept: string) {
  const { port } = yield* TestApi
  const seen = yield* responses
  const socket = connect(port, "127.0.0.1").pause()
  socket.on("error", () => undefined)
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nAccept: ${accept}\r\n\r\n`)
  const response = Effect.sync(() =>
    seen.find(({ req }) => req.url === path && req.socket.remotePort === socket.localPort)
  )
  const isSent = (one: ServerResponse | undefined) => one?.writableNeedDrain === true || one?.writableEnded === true
  const sent = Effect.map(Effect.andThen(Effect.yieldNow, response), isSent)
  yield* Effect.repeat(sent, { until: (is) => is })
  return { response: (yield* response)!, socket }
})
