/** Traces and metrics of the platform as processes, as a collector and Prometheus get them. */
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { expositionProblems } from "../checks/exposition.ts"
import { hasPromtool, NO_PROMTOOL, promtool } from "../checks/promtool.ts"
import { freePort } from "../local/postgres/freePort.ts"
import { attributeOf, type Span, startCollector } from "./collector.ts"
import { type App, makeDatabase, startApi, startApp, startReceiver, until } from "./harness.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

describe("what the platform reports to its operators", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  let collector: Awaited<ReturnType<typeof startCollector>>
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let api: Awaited<ReturnType<typeof startApi>>
  let worker: App
  let scheduler: App
  let ports: ReadonlyArray<number>
  let endpointId: string
  const closing: Array<() => Promise<unknown>> = []

  beforeAll(async () => {
    database = await makeDatabase(inject("postgresUrl"))
    collector = await startCollector()
    receiver = await startReceiver()
    closing.push(database.drop, collector.stop, receiver.stop)
    ports = [await freePort(), await freePort(), await freePort()]
    const settingsOf = (port: number | undefined) => ({
      METRICS_PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=another",
      BUILD_REVISION: "abc1234",
      LOG_LEVEL: "debug"
    })
    ;[api, worker, scheduler] = await Promise.all([
      startApi(database.url, async () => settingsOf(ports[0])),
      startApp("worker", database.url, settingsOf(ports[1])),
      startApp("admin", database.url, settingsOf(ports[2]))
    ])
    closing.push(
      () => api.stop(),
      () => worker.stop(),
      () => scheduler.stop()
    )
    const { org_key } = database.credentials
    const { body } = await api.ask(org_key, "POST", "/api/v1/org/webhooks", { url: receiver.url })
    endpointId = String(body.id)
  })

  afterAll(async () => {
    for (const close of closing.reverse()) await close()
  })

  const run = async (headers: Readonly<Record<string, string>>) => {
    const { agent_id, workspace_key } = database.credentials
    const { body } = await api.ask(workspace_key, "POST", "/api/v1/runs/", { agent_id, message: "hi" }, headers)
    const runId = String(body.run_id)
    await until("the event arrives", () => receiver.received.find((one) => one.body.includes(runId)))
    return runId
  }
  const scrape = async (port: number | undefined, path = "/metrics") => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
  }

  it("records a run from its request to the delivery of its outcome under the caller's trace id", async () => {
    await run({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })
    const mine = () => collector.spans.filter((span) => span.traceId === TRACE)
    await until("all parts are recorded", () =>
      ["POST /api/v1/runs/", "runs.execute", "webhooks.attempt"].every((name) =>
        mine().some((span) => span.name === name)
      )
    )
    const request = mine().find(({ name }) => name === "POST /api/v1/runs/")
    assert.strictEqual(request?.parentSpanId, "00f067aa0ba902b7")
    assert.strictEqual(request?.app, "agent-platform-api")
    assert.strictEqual(Number(attributeOf(request?.attributes ?? [], "http.response.status_code")), 202)
    assert.strictEqual(mine().find(({ name }) => name === "runs.execute")?.app, "agent-platform-worker")
    const logged = until("a line carries the trace", () =>
      api
        .log()
        .split("\n")
        .find((line) => line.includes(`"trace_id":"${TRACE}"`) && line.includes(`"span_id":"${request?.spanId}"`))
    )
    assert.include(await logged, "POST /api/v1/runs/ 202")
  })

  it("records the statements of a request as parts of it, those that go together with others' included", async () => {
    const trace = "6bf92f3577b34da6a3ce929d0e0e4738"
    await run({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })
    const mine = () => collector.spans.filter(({ app, traceId }) => traceId === trace && app === "agent-platform-api")
    const requestSpan = () => mine().find(({ name }) => name === "POST /api/v1/runs/")
    await until("the request is recorded", requestSpan)
    const textOf = ({ attributes }: Span) => String(attributeOf(attributes, "db.query.text"))
    const isWithin = (span: Span | undefined): boolean =>
      span !== undefined &&
      (span === requestSpan() || isWithin(mine().find(({ spanId }) => spanId === span.parentSpanId)))
    for (const statement of [/from .*\bapi_key\b/s, /insert into agent_platform\.run\b/]) {
      const found = await until(`${statement} is recorded`, () => mine().find((span) => statement.test(textOf(span))))
      assert.isTrue(isWithin(found), String(statement))
    }
  })

  it("takes its traces to the collector with the headers that it is given, and says where it runs", async () => {
    await until("a span came", () => collector.spans.length > 0)
    assert.deepStrictEqual([...collector.credentials], ["Bearer of-the-collector"])
    const resource = collector.spans[0]?.resource ?? []
    assert.strictEqual(attributeOf(resource, "deployment.environment.name"), "test")
    assert.strictEqual(attributeOf(resource, "vcs.ref.head.revision"), "abc1234")
    assert.match(String(attributeOf(resource, "service.version")), /^\d+\.\d+\.\d+$/)
    assert.match(String(attributeOf(resource, "service.name")), /^agent-platform-/)
    assert.notInclude(api.log() + worker.log(), "of-the-collector")
  })

  it("keeps probes out of traces and log", async () => {
    for (const path of ["/healthz", "/readyz", "/openapi.json"]) await fetch(`http://127.0.0.1:${api.port}${path}`)
    await until("what came after them is recorded", () =>
      collector.spans.find(({ name }) => name === "GET /openapi.json")
    )
    const names = new Set(collector.spans.map(({ name }) => name))
    for (const probe of ["/healthz", "/readyz"]) {
      assert.isFalse(names.has(`GET ${probe}`))
      assert.notInclude(api.log(), `GET ${probe}`)
    }
  })

  it("has a line in the log for each run that failed, which names the worker", async () => {
    const { agent_id, workspace_id, workspace_key } = database.credentials
    const { body } = await api.ask(workspace_key, "POST", "/api/v1/runs/", {
      agent_id,
      input: { steps: [{ fail: "a word of the agent's" }] }
    })
    const runId = String(body.run_id)
    const logged = () => worker.log().split("\n")
    const lines = () => logged().filter((line) => line.includes("A run failed") && line.includes(runId))
    const [line = "{}"] = await until("the line is there", () => (lines().length > 0 ? lines() : undefined))
    assert.deepInclude(JSON.parse(line), { run_id: runId, workspace_id, error_code: "agent_error", attempt: 1 })
    assert.match(String(JSON.parse(line).worker_id), /^worker \S+ \d+$/)
    assert.notInclude(line, "a word of the agent's")
    assert.lengthOf(lines(), 1)
  })

  it("records later attempts at a delivery under the trace id of its request", async () => {
    const trace = "5bf92f3577b34da6a3ce929d0e0e4737"
    const runId = await run({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })
    const attempts = () => collector.spans.filter((span) => span.traceId === trace && span.name === "webhooks.attempt")
    await until("the first attempt is recorded", () => attempts().length === 1)
    const eventId = receiver.received.find(({ body }) => body.includes(runId))?.headers["x-service-event-id"]
    const path = `/api/v1/org/webhooks/${endpointId}/deliveries`
    const delivery = await until("the first attempt is written", async () => {
      const { body } = await api.ask(database.credentials.org_key, "GET", path)
      const items = body.items as ReadonlyArray<{ readonly event_id: string; readonly delivery_id: string }>
      return items.find((one) => one.event_id === eventId)
    })
    const replayed = await api.ask(database.credentials.org_key, "POST", `${path}/${delivery.delivery_id}/replay`)
    assert.strictEqual(replayed.status, 202)
    await until("the second attempt is recorded", () => attempts().length === 2)
    assert.deepStrictEqual([...new Set(attempts().map((span) => attributeOf(span.attributes, "event_id")))], [eventId])
  })

  it("begins a trace for a request that names none, and records no more of one that is not to be recorded", async () => {
    const unsampled = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    await run({ traceparent: `00-${unsampled}-00f067aa0ba902b7-00` })
    await run({})
    const own = await until("the run's delivery is recorded", () => {
      const delivered = collector.spans.find((span) => span.name === "webhooks.attempt" && span.traceId !== TRACE)
      const names = collector.spans.filter(({ traceId }) => traceId === delivered?.traceId).map(({ name }) => name)
      return names.includes("POST /api/v1/runs/") && names.includes("runs.execute") ? names : undefined
    })
    assert.include(own, "webhooks.attempt")
    assert.notInclude(
      collector.spans.map(({ traceId }) => traceId),
      unsampled
    )
  })

  it("keeps credentials, queries and the work that nobody asked for out of its traces", async () => {
    const { agent_id, org_key, workspace_key } = database.credentials
    await api.ask(workspace_key, "GET", "/api/v1/runs/?tag=secret-of-a-query")
    await until("the list is recorded", () => collector.spans.find(({ name }) => name === "GET /api/v1/runs/"))
    const { body } = await api.ask(workspace_key, "POST", `/api/v1/agents/${agent_id}/webhooks`, {})
    const hook = new URL(String(body.url)).pathname
    const token = hook.split("/").at(-1) ?? ""
    assert.isAbove(token.length, 20)
    const spellings = [
      hook,
      hook.replace("hooks", "%68ooks"),
      `${hook}/more`,
      `/${hook}`,
      hook.replace("hooks", "Hooks")
    ]
    for (const path of spellings) {
      await fetch(`http://127.0.0.1:${api.port}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}"
      })
    }
    const ofHooks = () => collector.spans.filter(({ name }) => name === "POST /api/v1/hooks/{agent_id}/{token}")
    const ofOthers = () => collector.spans.filter(({ name }) => name === "POST unknown")
    await until("the five are recorded", () => ofHooks().length === 2 && ofOthers().length === 3)
    assert.strictEqual(attributeOf(ofHooks()[1]?.attributes ?? [], "url.path"), `/api/v1/hooks/${agent_id}/{token}`)
    const reported = JSON.stringify(collector.spans) + api.log()
    for (const secret of [org_key, workspace_key, "secret-of-a-query", token]) assert.notInclude(reported, secret)
    const roots = collector.spans.filter(({ parentSpanId }) => !parentSpanId)
    for (const { app } of roots) assert.strictEqual(app, "agent-platform-api")
  })

  it("counts requests by the template of their address, runs by outcome and deliveries by result", async () => {
    await api.ask(database.credentials.workspace_key, "GET", "/api/v1/runs/unknown")
    await fetch(`http://127.0.0.1:${api.port}/no/such/address`)
    await api.ask("garbage", "GET", "/api/v1/auth/me")
    const ofApi = await scrape(ports[0])
    assert.strictEqual(ofApi.status, 200)
    assert.match(String(ofApi.type), /^text\/plain; version=0\.0\.4/)
    assert.match(
      ofApi.text,
      /agent_platform_http_requests_total\{route="\/api\/v1\/runs\/",method="POST",status="202"\} \d/
    )
    assert.match(
      ofApi.text,
      /agent_platform_http_requests_total\{route="\/api\/v1\/runs\/\{run_id\}",method="GET",status="404"\} 1\n/
    )
    assert.match(ofApi.text, /agent_platform_http_requests_total\{route="unknown",method="GET",status="404"\} 1\n/)
    assert.match(ofApi.text, /agent_platform_credential_refusals_total\{credential="api_key",reason="malformed"\} 1\n/)
    assert.match(ofApi.text, /process_resident_memory_bytes \d{7,}/)
    const ofWorker = await scrape(ports[1])
    assert.match(ofWorker.text, /agent_platform_runs_ended_total\{outcome="succeeded",error_code="none"\} [1-9]/)
    assert.match(ofWorker.text, /agent_platform_delivery_attempts_total\{result="2xx"\} [1-9]/)
    assert.match(ofWorker.text, /agent_platform_deliveries_settled_total\{state="delivered"\} [1-9]/)
    assert.match(ofWorker.text, /agent_platform_oldest_due_run_seconds \d/)
    assert.match(ofWorker.text, /agent_platform_oldest_undispatched_event_seconds \d/)
    assert.match(ofWorker.text, /agent_platform_queue_jobs\{queue="webhooks.replay",state="ready"\} \d/)
    assert.match(ofWorker.text, /agent_platform_database_connections\{application="api",state="idle"\} \d/)
    assert.match(ofWorker.text, /agent_platform_unended_runs\{state="ready"\} \d/)
    assert.match(ofWorker.text, /agent_platform_outbox_events\{state="untaken"\} \d/)
    assert.match(ofWorker.text, /agent_platform_job_period_seconds\{job_name="runs\.prune"\} 86400\n/)
    assert.match(ofWorker.text, /agent_platform_job_runs_total\{job_name="provider_keys\.probe",status="failed"\} 0\n/)
    for (const reading of ["database", "queue_ages", "queue_depths", "queue_jobs", "connections", "jobs"]) {
      const [, age] =
        new RegExp(`agent_platform_reading_age_seconds\\{reading="${reading}"\\} (\\S+)`).exec(ofWorker.text) ?? []
      assert.isBelow(Number(age), 1, reading)
    }
    for (const { text } of [ofApi, ofWorker]) {
      assert.deepStrictEqual(expositionProblems(text), [])
      assert.match(text, /agent_platform_database_up 1\n/)
      assert.match(text, /agent_platform_build_info\{version="\d+\.\d+\.\d+",revision="abc1234"\} 1\n/)
      assert.notMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-7/)
    }
  })

  it("has pages of metrics that promtool finds in order, where that is installed", async (context) => {
    if (!hasPromtool) return context.skip(NO_PROMTOOL)
    await run({})
    for (const port of ports) {
      const { status, text } = await scrape(port)
      assert.strictEqual(status, 200)
      assert.isAbove(text.length, 1_000)
      assert.strictEqual(await promtool(["check", "metrics"], text), "")
    }
    assert.include(await promtool(["check", "metrics"], "# TYPE runs_total gauge\nruns_total 1\n"), "runs_total")
  })

  it("serves nothing else beside the metrics", async () => {
    assert.strictEqual((await scrape(ports[0], "/")).status, 404)
    const posted = await fetch(`http://127.0.0.1:${ports[0]}/metrics`, { method: "POST" })
    assert.strictEqual(posted.status, 405)
    assert.strictEqual((await fetch(`http://127.0.0.1:${api.port}/metrics`)).status, 404)
  })
})
