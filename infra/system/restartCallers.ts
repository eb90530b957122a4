/** Callers behind proxies that ask nothing twice, and count what is not answered as it should be. */
import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"
import type { ProxyName } from "./proxies.ts"

/** Between two requests of a caller, so that the machine is not what is measured. */
const PAUSE_MILLIS = 30

/** Runs that are over at once, and runs that execute while their worker is asked to stop. That may not cost their one attempt. */
const KINDS = [
  { input: { steps: [{ return: 1 }] }, max_attempts: 1 },
  { input: { steps: [{ say: "a" }, { sleep_ms: 150 }, { say: "b" }, { return: 2 }] }, max_attempts: 1 },
  { input: { steps: [{ sleep_ms: 900 }, { return: 3 }] }, max_attempts: 1 }
]

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

interface Asked {
  readonly port: number
  /** Keeps the connection for the next request; false opens a new one. */
  readonly agent: Agent | false
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body?: unknown
}

/** One request over one connection, without a second try. Fails where the answer does not come whole. */
export const once = async ({ agent, body, key, method, path, port }: Asked) => {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    "x-api-key": key,
    ...(sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) })
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: "127.0.0.1", port, method, path, agent, headers }, resolve).once("error", reject).end(sent)
  })
  const [status, answered] = [response.statusCode ?? 0, await text(response)]
  if (response.headers["content-type"]?.includes("json") !== true) throw new Error(`${status} ${answered.slice(0, 80)}`)
  return { status, body: JSON.parse(answered) as Record<string, unknown> }
}

/**
 * Has so many callers ask behind every proxy until `isOver`; every other one keeps its connection. In turn each triggers a run, reads it,
 * waits for it and lists runs.
 */
export const call = (
  { agent_id, workspace_key: key }: { readonly agent_id: string; readonly workspace_key: string },
  fronts: ReadonlyMap<ProxyName, number>,
  callers: number,
  isOver: () => boolean
) => {
  const requests: Record<string, number> = {}
  const failures: Array<string> = []
  const accepted = new Set<string>()
  const answered = () => Object.values(requests).reduce((sum, count) => sum + count, 0)

  const calling = async (name: ProxyName, port: number, number: number) => {
    const kept = number % 2 === 0
    const agent = kept ? new Agent({ keepAlive: true, maxSockets: 1 }) : false
    const way = `${name}, ${kept ? "kept" : "new"} connections`
    const ask = async (method: string, path: string, wanted: number, body?: unknown) => {
      const answer = await once({ port, agent, method, path, key, body }).catch((error: unknown) => String(error))
      requests[way] = (requests[way] ?? 0) + 1
      await pause(PAUSE_MILLIS)
      if (typeof answer !== "string" && answer.status === wanted) return answer.body
      const reason = typeof answer === "string" ? answer : `${answer.status} ${JSON.stringify(answer.body)}`
      failures.push(`${way}: ${method} ${path}: ${reason}`)
      return undefined
    }
    for (let count = number; !isOver(); count++) {
      const run = await ask("POST", "/api/v1/runs/", 202, { agent_id, ...KINDS[count % KINDS.length] })
      if (run === undefined) continue
      accepted.add(String(run["run_id"]))
      await ask("GET", `/api/v1/runs/${run["run_id"]}`, 200)
      await ask("GET", `/api/v1/runs/${run["run_id"]}?wait_seconds=2`, 200)
      await ask("GET", "/api/v1/runs/?limit=5", 200)
    }
    if (agent !== false) agent.destroy()
  }
  const all = [...fronts].flatMap(([name, port]) => Array.from({ length: callers }, (_, n) => calling(name, port, n)))
  return { requests, failures, accepted, answered, done: Promise.all(all) }
}
