/** Inputs that have stopped everybody before. None of them is small enough to be an accident. */

import type { Platform } from "./platform.ts"
import { callOf, chunkOf, DONE, streamHead } from "./providerStub.ts"
import { revokedStreams } from "./revokedStreams.ts"
import { chatAgent, httpAgent, runOf } from "./runCases.ts"
import { jsonOf } from "./send.ts"
import type { Strangers } from "./strangers.ts"
import type { Tester } from "./tester.ts"

export interface Stage {
  readonly platform: Platform
  readonly strangers: Strangers
  readonly tester: Tester
}

export interface Reproduction {
  /** Of which of the eight inputs it is that once stopped everybody (docs/decisions/0039-worst-case-cost.md); some are tried in several ways. */
  readonly number: string
  readonly name: string
  /** How long it is watched, in seconds, where that is not a minute. */
  readonly seconds?: number
  /** Prepares the input, and answers the watched action, whose answer is the outcome. */
  readonly input: (stage: Stage) => Promise<() => Promise<string>>
}

const AGENTS = "/api/v1/agents"
const FORM = { "content-type": "application/x-www-form-urlencoded" }

const chain = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const names = (count: number, value = "v") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index.toString(36)}`, value]))

/** An agent of somebody's own that answers with these lines. */
const answering = async ({ strangers, tester }: Stage, ...lines: ReadonlyArray<string>) => {
  const url = strangers.settle((response) =>
    response.writeHead(200, { "content-type": "application/x-ndjson" }).end(lines.map((line) => `${line}\n`).join(""))
  )
  return httpAgent(tester, url)
}

/** A run whose agent answers with this line, which is nested deep. */
const deep =
  (line: string): Reproduction["input"] =>
  async (stage) => {
    const agentId = await answering(stage, line)
    return async () => (await runOf(stage.tester, agentId)).outcome
  }

/** One request with a body, answered by its status and code. */
const posting =
  (path: string, body: (stage: Stage) => Promise<unknown>): Reproduction["input"] =>
  async (stage) => {
    const text = JSON.stringify(await body(stage))
    return async () => {
      const answered = await stage.tester.ask("POST", path, text)
      return `${answered.status} ${jsonOf(answered)["code"] ?? ""}`.trim()
    }
  }

const form: Reproduction["input"] = async ({ tester }) => {
  const { url } = await tester.make("POST", `${AGENTS}/${await tester.agentId()}/webhooks`, {})
  const body = Object.keys(names(130_000)).join("&")
  return async () => String((await tester.ask("POST", new URL(String(url)).pathname, body, FORM)).status)
}

const toolServer = (count: number) =>
  posting("/api/v1/agents", async () => ({
    name: "Tools",
    recipe: "chat",
    model: "openai_compatible/small",
    mcp_servers: [{ name: "tools", url: "https://93.184.215.14/tools", headers: names(count) }]
  }))

/** 300 alternatives for each element, of which the last one fits. */
const HARD = {
  type: "array",
  items: {
    anyOf: [
      ...Array.from({ length: 299 }, (_, index) => ({ type: "string", minLength: 1_000_000 + index })),
      { type: "string" }
    ]
  }
}
const TEXTS = Array.from({ length: 60_000 }, () => "a")

const heldToSchema: Reproduction["input"] = async ({ tester }) => {
  const agent = { name: "Strict", recipe: "demo", input_schema: HARD }
  const { agent_id } = await tester.make("POST", "/api/v1/agents", agent)
  return async () => (await runOf(tester, String(agent_id), { input: TEXTS })).outcome
}

const heldToQuestion: Reproduction["input"] = async ({ tester }) => {
  const input = { steps: [{ ask: "Which?", interrupt: { schema: HARD } }] }
  const { sessionId } = await runOf(tester, await tester.agentId(), { input })
  const body = JSON.stringify({ message: "These", data: TEXTS })
  return async () => String((await tester.ask("POST", `/api/v1/sessions/${sessionId}/messages`, body)).status)
}

/** Runs that each of three workspaces of one organization triggers at once: together a worker's slots, and about as many again. */
const RUNS_EACH = 70
const SLEEP_MILLIS = 8_000

const allSlots: Reproduction["input"] = async ({ tester }) => {
  const { orgKey, workspaceId } = tester.organization
  const others = await Promise.all(
    ["Second", "Third"].map((name) => tester.make("POST", "/api/v1/org/workspaces", { name, timezone: "UTC" }))
  )
  const workspaces = [workspaceId, ...others.map(({ id }) => String(id))]
  const input = { steps: [{ sleep_ms: SLEEP_MILLIS }, { return: 1 }] }
  return async () => {
    const trigger = async (workspace: string) => {
      const headers = { "x-api-key": orgKey, "x-workspace-id": workspace }
      const agent = JSON.stringify({ name: "Sleeper", recipe: "demo" })
      const { agent_id } = jsonOf(await tester.ask("POST", "/api/v1/agents", agent, headers))
      const body = JSON.stringify({ agent_id, input, wait_seconds: 55 })
      const ask = () => tester.ask("POST", "/api/v1/runs/", body, headers)
      return Promise.all(Array.from({ length: RUNS_EACH }, ask))
    }
    const ended = (await Promise.all(workspaces.map(trigger))).flat().map((answered) => {
      const { code, status } = jsonOf(answered)
      return String(code ?? status)
    })
    return countsOf(ended)
  }
}

/** How often each word comes: `3 × succeeded`. */
export const countsOf = (words: ReadonlyArray<string>): string =>
  [...new Set(words)].map((word) => `${words.filter((one) => one === word).length} × ${word}`).join(", ")

const READERS = 6

const largeRecords: Reproduction["input"] = async (stage) => {
  const line = `{"type":"log","message":"${"<&a".repeat(20_000)}"}`
  const agentId = await answering(stage, ...Array.from({ length: 250 }, () => line), '{"type":"result"}')
  const { outcome, runId } = await runOf(stage.tester, agentId)
  return async () => {
    const read = () =>
      stage.tester.ask("GET", `/api/v1/runs/${runId}/record`, undefined, { accept: "text/html" }).then(
        ({ bytes, status }) => `${status} of ${Math.round(bytes / 1e6)} MB`,
        (error: NodeJS.ErrnoException) => String(error.code ?? error.message)
      )
    return `${outcome}; ${countsOf(await Promise.all(Array.from({ length: READERS }, read)))}`
  }
}

/** A call of a tool whose arguments are nested deep. */
const deepArguments: Reproduction["input"] = async ({ strangers, tester }) => {
  const url = strangers.settle((response) =>
    streamHead(response).end(`${callOf("ask_user", `{"a":${chain(6_000)}}`)}${chunkOf({}, "tool_calls")}${DONE}`)
  )
  const agentId = await chatAgent(tester, url, { tools: ["ask_user"] })
  return async () => (await runOf(tester, agentId)).outcome
}

/** All of them. */
export const REPRODUCTIONS: ReadonlyArray<Reproduction> = [
  { number: "1", name: "an agent's result, 6,000 deep", input: deep(`{"type":"result","result":${chain(6_000)}}`) },
  {
    number: "1",
    name: "an agent's interrupt, 6,000 deep",
    input: deep(`{"type":"pause","message":"Which?","interrupt":${chain(6_000)}}`)
  },
  { number: "1", name: "a model's arguments, 6,000 deep", input: deepArguments },
  { number: "2", name: "a form of 130,000 names", input: form },
  { number: "3", name: "10,000 headers of a server of tools", input: toolServer(10_000) },
  { number: "3", name: "70,000 headers of a server of tools", input: toolServer(70_000) },
  { number: "4", name: "60,000 texts held to 300 anyOf of an agent", input: heldToSchema },
  { number: "4", name: "60,000 texts held to 300 anyOf of a question", input: heldToQuestion },
  { number: "5", name: "three workspaces fill all slots", input: allSlots, seconds: 150 },
  { number: "6", name: "six records of 250 × 60 KB as HTML", input: largeRecords, seconds: 150 },
  { number: "7", name: "6,000 streams and waiting answers, revoked", input: revokedStreams, seconds: 150 },
  {
    number: "8",
    name: "90,000 names of metadata",
    input: posting("/api/v1/runs/", async ({ tester }) => ({
      agent_id: await tester.agentId(),
      metadata: names(90_000, "")
    }))
  },
  {
    number: "8",
    name: "50,000 networks of a key",
    input: posting("/api/v1/auth/api-keys", async () => ({
      name: "Networks",
      allowed_ips: Array.from({ length: 50_000 }, (_, index) => `10.${(index >> 8) & 255}.${index & 255}.0/24`)
    }))
  },
  {
    number: "8",
    name: "60,000 scopes of a key",
    input: posting("/api/v1/auth/api-keys", async () => ({
      name: "Scopes",
      scopes: Array.from({ length: 60_000 }, () => "runs:read")
    }))
  },
  {
    number: "8",
    name: "100,000 tags of a run",
    input: posting("/api/v1/runs/", async ({ tester }) => ({
      agent_id: await tester.agentId(),
      tags: Array.from({ length: 100_000 }, (_, index) => `t${index}`)
    }))
  },
  {
    number: "8",
    name: "25,000 notices to mark as read",
    input: posting("/api/v1/notifications/read", async () => ({
      ids: Array.from({ length: 25_000 }, (_, index) => `0199f2a4-6b1e-7c55-9a31-${String(index).padStart(12, "0")}`)
    }))
  }
]
