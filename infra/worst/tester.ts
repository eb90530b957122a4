/** The sender of measured requests: an organization of its own, which makes whatever an operation is about. */
import type { Operation } from "./contractWalk.ts"
import type { Known } from "./documents.ts"
import type { Organization, Platform } from "./platform.ts"
import { type Answered, jsonOf } from "./send.ts"

/** The longest that an unmeasured request may take, in milliseconds. */
const UNMEASURED_MILLIS_MAX = 60_000

type Headers = Readonly<Record<string, string>>

export interface Tester {
  readonly organization: Organization
  /** The headers by which the tester may ask for an operation. */
  readonly headersFor: (operation: Pick<Operation, "isPublic" | "path">) => Headers
  /** Asks with JSON and answers it; rejects unless it succeeds. */
  readonly make: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
  /** Asks with a raw body, and answers whatever comes. */
  readonly ask: (method: string, path: string, body?: string, headers?: Headers) => Promise<Answered>
  /** An agent that answers by the recipe `demo`, the same whenever it is asked for. */
  readonly agentId: () => Promise<string>
  /** A run that has ended, and its session. */
  readonly endedRun: () => Promise<{ readonly runId: string; readonly sessionId: string }>
}

const isOrganizationWide = (path: string) => path.startsWith("/api/v1/org/")

/** Founds an organization, and answers a tester that asks in its name. */
export const makeTester = async (platform: Platform): Promise<Tester> => {
  const organization = await platform.found()
  const headersFor: Tester["headersFor"] = ({ isPublic, path }) => {
    if (isPublic) return {}
    return { "x-api-key": isOrganizationWide(path) ? organization.orgKey : organization.workspaceKey }
  }
  const ask: Tester["ask"] = (method, path, body, headers) =>
    platform.ask(
      {
        method,
        path,
        headers: {
          ...headersFor({ isPublic: false, path }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(body === undefined ? {} : { body })
      },
      UNMEASURED_MILLIS_MAX
    )
  const make: Tester["make"] = async (method, path, body) => {
    const answered = await ask(method, path, body === undefined ? undefined : JSON.stringify(body))
    if (answered.status >= 300) throw new Error(`${method} ${path} was answered ${answered.status}: ${answered.text}`)
    return jsonOf(answered)
  }
  const once = <A>(act: () => Promise<A>) => {
    let made: Promise<A> | undefined
    return () => {
      made ??= act()
      return made
    }
  }
  const agentId = once(async () => {
    const { agent_id } = await make("POST", "/api/v1/agents", { name: "Measured", recipe: "demo" })
    return String(agent_id)
  })
  const endedRun = once(async () => {
    const body = { agent_id: await agentId(), message: "Hi", wait_seconds: 30 }
    const { run_id, session_id } = await make("POST", "/api/v1/runs/", body)
    return { runId: String(run_id), sessionId: String(session_id) }
  })
  return { organization, headersFor, ask, make, agentId, endedRun }
}

/** An id that nothing has. */
const NO_ID = "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77"

/** Where strangers of the harness answer. */
export interface StrangerUrls {
  readonly receiver: string
  readonly provider: string
}

const idOf = async (made: Promise<Record<string, unknown>>, name = "id") => String((await made)[name])

/** Makes what a parameter of a path names. */
type Maker = (tester: Tester, urls: StrangerUrls, operation: Operation) => Promise<string>

const endpoint: Maker = ({ make }, { receiver }) => idOf(make("POST", "/api/v1/org/webhooks", { url: receiver }))

const PARAMETERS: Readonly<Record<string, Maker>> = {
  agent_id: ({ make }) => idOf(make("POST", "/api/v1/agents", { name: "Measured", recipe: "demo" }), "agent_id"),
  key_id: ({ make }, _, { path }) =>
    idOf(
      make("POST", isOrganizationWide(path) ? "/api/v1/org/api-keys" : "/api/v1/auth/api-keys", { name: "Measured" })
    ),
  // Under /auth/ it is a login session, which a key does not have.
  session_id: async ({ endedRun }, _, { path }) => (path.includes("/auth/") ? NO_ID : (await endedRun()).sessionId),
  run_id: async ({ endedRun }) => (await endedRun()).runId,
  workspace_id: async ({ organization }) => organization.workspaceId,
  member_id: ({ make }) =>
    idOf(
      make("POST", "/api/v1/org/members", { email: `${crypto.randomUUID()}@example.com`, organization_role: "admin" })
    ),
  provider: async ({ make }, { provider }, { method, path }) => {
    if (path.includes("/oauth/")) return "google"
    if (method === "POST" && !path.endsWith("/validate")) return "openai_compatible"
    const body = { key: "sk-measured-0123456789", base_url: provider, validate: false }
    return idOf(make("POST", "/api/v1/byok/openai_compatible", body))
  },
  secret_id: ({ make }) => {
    const name = crypto.randomUUID()
    const body = { name, host_pattern: `${name}.example.com`, header: "x-api-key", value: "measured-0123456789" }
    return idOf(make("POST", "/api/v1/tool-secrets", body))
  },
  template_id: ({ make }, _, { path }) => {
    const name = crypto.randomUUID()
    if (path.includes("/agent-templates/")) return idOf(make("POST", "/api/v1/org/agent-templates", { name }))
    if (path.includes("/provider-keys/")) {
      return idOf(make("POST", "/api/v1/org/provider-keys", { provider: "openai", key: name, validate: false }))
    }
    const body = { name, host_pattern: `${name}.example.com`, header: "x-api-key", value: "measured-0123456789" }
    return idOf(make("POST", "/api/v1/org/tool-secrets", body))
  },
  schedule_id: async ({ agentId, make }) =>
    idOf(make("POST", "/api/v1/schedules", { agent_id: await agentId(), cron: "0 9 * * *" })),
  endpoint_id: endpoint,
  replay_id: async (tester, urls, operation) => {
    const since = new Date(Date.now() - 60_000).toISOString()
    const path = `/api/v1/org/webhooks/${await endpoint(tester, urls, operation)}/replay`
    return idOf(tester.make("POST", path, { since }))
  },
  delivery_id: async () => NO_ID,
  // No key of the harness may erase: what is measured would be gone.
  erasure_id: async () => NO_ID,
  token: async () => "x".repeat(43)
}

/** The path of an operation about things that were made for it. */
export const pathFor = async (tester: Tester, urls: StrangerUrls, operation: Operation): Promise<string> => {
  if (operation.path === "/api/v1/hooks/{agent_id}/{token}") {
    const { url } = await tester.make("POST", `/api/v1/agents/${await tester.agentId()}/webhooks`, {})
    return new URL(String(url)).pathname
  }
  let path = operation.path
  for (const [, name = ""] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const make = PARAMETERS[name]
    if (make === undefined) throw new Error(`Nobody knows how to make the ${name} of ${operation.name}`)
    path = path.replace(`{${name}}`, encodeURIComponent(await make(tester, urls, operation)))
  }
  return path
}

/** Sound values of members that their schema does not determine. */
export const knownTo = async (tester: Tester, { provider }: StrangerUrls): Promise<Known> => ({
  agent_id: await tester.agentId(),
  // An address in numbers asks no name server.
  url: "https://93.184.215.14/tools",
  base_url: provider,
  cron: "30 9 * * 1-5",
  timezone: "Europe/Berlin",
  email: () => `${crypto.randomUUID()}@example.com`,
  allowed_ips: (index: number) => `10.${(index >> 8) & 255}.${index & 255}.0/24`,
  ids: (index: number) => `0199f2a4-6b1e-7c55-9a31-${index.toString(16).padStart(12, "0")}`,
  key: "sk-measured-0123456789"
})
