/** Webhooks, agents, model providers, tools, MCP servers and content that are not public, with apps as real processes over Postgres. */
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { freePort } from "../local/postgres/freePort.ts"
import { type App, makeDatabase, startApi, startApp, until } from "./harness.ts"
import { startPrivateNetwork, TRUSTING } from "./privateNetwork.ts"

type Network = Awaited<ReturnType<typeof startPrivateNetwork>>

const PURPOSES = ["webhooks", "agents", "providers", "tools", "mcp"] as const
type Purpose = (typeof PURPOSES)[number]

/** An address for each purpose, so that none is reached by what is admitted for another. Content is at a port of its own. */
const APART: Readonly<Record<Purpose, string>> = {
  webhooks: "127.0.0.2",
  agents: "127.0.0.3",
  providers: "127.0.0.4",
  tools: "127.0.0.5",
  mcp: "127.0.0.6"
}

const lists = Object.fromEntries(
  PURPOSES.map((purpose) => [`EGRESS_ALLOW_${purpose.toUpperCase()}`, `http://${APART[purpose]}`])
)

const MANNERS = [
  {
    manner: "an operator's lists",
    environment: ({ securePort }: Network) => ({
      EGRESS_ALLOW_LOOPBACK: "false",
      EGRESS_ALLOW_CONTENT: `127.0.0.1:${securePort}`,
      ...lists
    }),
    hosts: APART,
    elsewhere: "127.0.0.7",
    // Content is admitted at one address and port, of which none of the platform's own is a part.
    ownPortRefused: /could not be read: The host is not a public address$/
  },
  {
    manner: "EGRESS_ALLOW_LOOPBACK, as npm start has it",
    environment: () => ({ EGRESS_ALLOW_LOOPBACK: "true" }),
    hosts: Object.fromEntries(PURPOSES.map((purpose) => [purpose, "127.0.0.1"])) as Record<Purpose, string>,
    elsewhere: "10.255.255.1",
    ownPortRefused: /could not be read: The port is closed/
  }
]

for (const { elsewhere, environment, hosts, manner, ownPortRefused } of MANNERS) {
  describe(`the private network by ${manner}`, () => {
    const closing: Array<() => Promise<unknown>> = []
    let database: Awaited<ReturnType<typeof makeDatabase>>
    let network: Network
    let api: Awaited<ReturnType<typeof startApi>>
    let metrics: number

    beforeAll(async () => {
      network = await startPrivateNetwork()
      closing.push(network.stop)
      database = await makeDatabase(inject("postgresUrl"))
      closing.push(database.drop)
      metrics = await freePort()
      const own = { ...TRUSTING, ...environment(network) }
      api = await startApi(database.url, async () => own)
      closing.push(() => api.stop())
      const settings = { ...own, PORT: String(api.port), METRICS_PORT: String(metrics) }
      const worker: App = await startApp("worker", database.url, settings)
      closing.push(() => worker.stop())
    })

    afterAll(async () => {
      for (const close of closing.reverse()) await close()
    })

    const urlFor = (purpose: Purpose, path: string) => `http://${hosts[purpose]}:${network.port}${path}`
    const asked = async (key: string, path: string, body?: unknown) => {
      const answered = await api.ask(key, body === undefined ? "GET" : "POST", `/api/v1${path}`, body)
      assert.isBelow(answered.status, 300, JSON.stringify(answered.body))
      return answered.body
    }
    const ask = (path: string, body?: unknown) => asked(database.credentials.workspace_key, path, body)
    const ended = async (body: unknown) => {
      const { run_id } = await ask("/runs/", body)
      return until("the run has ended", async () => {
        const run = await ask(`/runs/${run_id}?wait_seconds=30`)
        return run.finished_at === null ? undefined : run
      })
    }
    const calledAt = (path: string) => network.called.filter((one) => one.path === path).map(({ address }) => address)

    it("has a model provider, an MCP server and targets of tools, and no way to the platform's own ports", async () => {
      await ask("/byok/openai_compatible", { key: "k-0123456789", base_url: urlFor("providers", "/v1") })
      const { agent_id } = await ask("/agents", {
        name: "Chat",
        recipe: "chat",
        model: "openai_compatible/small",
        tools: ["http_request"],
        mcp_servers: [{ name: "sums", url: urlFor("mcp", "/mcp") }]
      })
      const postgres = new URL(database.url).port
      const targets = [urlFor("tools", "/tool"), `http://${elsewhere}:${network.port}/tool`]
      const own = [api.port, metrics, postgres].map((port) => `http://${hosts.tools}:${port}/metrics`)
      const run = await ended({
        agent_id,
        message: JSON.stringify([
          ...[...targets, ...own].map((url) => ({ name: "http_request", input: { url } })),
          { name: "sums_add", input: {} }
        ])
      })
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const results = JSON.parse(String(run.message)) as ReadonlyArray<string>
      assert.match(results[0] ?? "", /from inside/)
      assert.match(results[1] ?? "", /There was no answer: The URL must use https/)
      for (const refused of results.slice(2, 5)) assert.match(refused, /There was no answer: The port is closed/)
      assert.match(results[5] ?? "", /the sum is 42/)
      assert.deepStrictEqual(calledAt("/tool"), [hosts.tools])
      assert.deepStrictEqual([...new Set(calledAt("/v1/chat/completions"))], [hosts.providers])
      assert.deepStrictEqual([...new Set(calledAt("/mcp"))], [hosts.mcp])
    })

    it("has content that is read for a model, by its address and port, and none that is elsewhere", async () => {
      await ask("/byok/openai_compatible", { key: "k-0123456789", base_url: urlFor("providers", "/v1") })
      const { agent_id } = await ask("/agents", { name: "Reader", recipe: "chat", model: "openai_compatible/small" })
      const shown = (host: string, port: number) => {
        const url = `https://${host}:${port}/note.txt`
        return ended({ agent_id, message: "Read it", content: [{ type: "file", media_type: "text/plain", url }] })
      }
      const read = await shown("127.0.0.1", network.securePort)
      assert.strictEqual(read.status, "succeeded", JSON.stringify(read.error))
      assert.include(String(read.message), "a note from inside")
      const before = network.called.length
      const own = [api.port, metrics, Number(new URL(database.url).port)]
      const outside = await shown(elsewhere, network.securePort)
      assert.match(String(outside.error), /could not be read: The host is not a public address$/)
      const onOwn = await Promise.all(own.map((port) => shown("127.0.0.1", port)))
      for (const refused of onOwn) assert.match(String(refused.error), ownPortRefused)
      for (const refused of [outside, ...onOwn]) {
        assert.deepInclude(refused, { status: "failed", error_code: "invalid_input" })
      }
      assert.strictEqual(network.called.length, before)
    })

    it("has agents, and receivers of webhooks that hear of their runs", async () => {
      await asked(database.credentials.org_key, "/org/webhooks", { url: urlFor("webhooks", "/hook") })
      const settings = { name: "Own", recipe: "http", endpoint: { url: urlFor("agents", "/run") } }
      const run = await ended({ agent_id: (await ask("/agents", settings)).agent_id, message: "Go" })
      assert.deepInclude(run, { status: "succeeded", message: "from an agent of one's own" })
      assert.deepStrictEqual(calledAt("/run"), [hosts.agents])
      await until("the receiver has heard of it", () =>
        network.called.some(({ body, path }) => path === "/hook" && body.includes(String(run.run_id)))
          ? true
          : undefined
      )
      assert.deepStrictEqual([...new Set(calledAt("/hook"))], [hosts.webhooks])
    })

    it("refuses at registration what is not admitted for the purpose", async () => {
      const { org_key, workspace_key } = database.credentials
      const before = network.called.length
      const places = (path: string) => [
        `http://${elsewhere}:${network.port}${path}`,
        `http://${hosts.mcp}:${api.port}${path}`
      ]
      for (const url of places("/x")) {
        const agent = { name: "A", recipe: "chat", model: "openai_compatible/small" }
        const refusals = [
          await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url }),
          await api.ask(workspace_key, "POST", "/api/v1/agents", { name: "A", recipe: "http", endpoint: { url } }),
          await api.ask(workspace_key, "POST", "/api/v1/agents", { ...agent, mcp_servers: [{ name: "a", url }] }),
          await api.ask(workspace_key, "POST", "/api/v1/byok/openai_compatible", { key: "k-0123456789", base_url: url })
        ]
        for (const { body, status } of refusals) {
          assert.deepStrictEqual([status, body.code], [422, "url_not_public"], JSON.stringify(body))
        }
      }
      assert.strictEqual(network.called.length, before)
    })
  })
}
