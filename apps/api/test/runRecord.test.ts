/** GET /api/v1/runs/{run_id}/record, and the keys that verify records. */
import { execFileSync } from "node:child_process"
import { createPublicKey, type JsonWebKey, verify } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { canonicalJson } from "@agent-platform/kernel"
import { Runs } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, type Json, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const KEYS = "/.well-known/agent-platform-keys.json"

const recordPath = (run: Json) => `/api/v1/runs/${run["run_id"]}/record`

/** A run that has ended. */
const ended = Effect.fnUntraced(function* (tenant: Tenant, body: object) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    body: { agent_id, wait_seconds: 20, ...body }
  })
  return json
})

const isGenuine = (record: Json, keys: Json): boolean => {
  const { integrity, ...rest } = record as unknown as Record<string, Record<string, string>>
  const key = (keys["keys"] as unknown as Array<{ kid: string }>).find(({ kid }) => kid === integrity!["key_id"])
  const publicKey = createPublicKey({ key: key as JsonWebKey, format: "jwk" })
  return verify(null, Buffer.from(canonicalJson(rest)), publicKey, Buffer.from(integrity!["signature"]!, "base64"))
}

layer(layerWithWorkers, { excludeTestServices: true })("the record of a run", (it) => {
  it.effect("answers 200 with the whole run, signed by a published key", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const run = yield* ended(tenant, { message: "Grüß dich 💡", input: { n: [1.5e300, -0, "é"] } })
      const { headers, json, status } = yield* api.call("GET", recordPath(run), { key: tenant.workspaceKey })
      assert.strictEqual(`${status} ${headers.get("content-type")}`, "200 application/json")
      const record = json as unknown as Record<string, unknown>
      const { agent_version, model, ...shown } = run
      const { max_cost_usd, max_duration_seconds, overrides, priority, prompt, run_at, ttl_seconds, ...recorded } =
        shown
      assert.deepStrictEqual(record["run"], recorded)
      assert.deepStrictEqual(record["usage"], run["usage"])
      assert.strictEqual(record["record_version"], 1)
      assert.deepStrictEqual(record["redactions"], [])
      assert.deepStrictEqual(
        (record["messages"] as ReadonlyArray<{ role: string; text: string }>).map(({ role, text }) => [role, text]),
        [
          ["user", "Grüß dich 💡"],
          ["agent", "You said: Grüß dich 💡"]
        ]
      )
      const keys = yield* api.call("GET", KEYS)
      assert.isTrue(isGenuine(json, keys.json))
      assert.isFalse(isGenuine({ ...(json as object), generated_at: "2026-01-01T00:00:00.000Z" } as never, keys.json))
    })
  )

  it.effect("is verified by the command that the documentation gives", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const run = yield* ended(tenant, { message: "Hello", input: { "b\u2028": "</script>", 'a"': 1e21, é: [[]] } })
      const page = readFileSync(new URL("../../../docs/http.md", import.meta.url), "utf8")
      const command = /^node -e '([^']+)'$/m.exec(page)?.[1]
      assert.isDefined(command)
      const folder = mkdtempSync(join(tmpdir(), "record-"))
      const here = command!.replaceAll('"/tmp/', `"${folder}/`)
      const check = () => execFileSync(process.execPath, ["-e", here], { encoding: "utf8" }).trim()
      const { text } = yield* api.call("GET", recordPath(run), { key: tenant.workspaceKey })
      writeFileSync(join(folder, "record.json"), text)
      writeFileSync(join(folder, "keys.json"), (yield* api.call("GET", KEYS)).text)
      assert.strictEqual(check(), "true")
      writeFileSync(join(folder, "record.json"), text.replace("Hello", "Hallo"))
      assert.strictEqual(check(), "false")
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("stays verifiable after another key has taken over", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const run = yield* ended(tenant, { message: "Hello" })
      const before = yield* api.call("GET", recordPath(run), { key: tenant.workspaceKey })
      const fresh = yield* Runs.use((runs) => runs.rotateRecordKey())
      const after = yield* api.call("GET", recordPath(run), { key: tenant.workspaceKey })
      assert.strictEqual(String(after.json["integrity"]!["key_id"]), fresh.id)
      assert.notStrictEqual(String(before.json["integrity"]!["key_id"]), fresh.id)
      const keys = yield* api.call("GET", KEYS)
      assert.isTrue(isGenuine(before.json, keys.json) && isGenuine(after.json, keys.json))
      const [newest, ...retired] = keys.json["keys"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.isNull(newest?.["retired_at"])
      for (const key of retired) assert.isString(key["retired_at"])
      assert.notInclude(keys.text, '"d"')
    })
  )

  it.effect("makes one key when many are asked for the first record at once", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const run = yield* ended(tenant, { message: "Hello" })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => api.call("GET", recordPath(run), { key: tenant.workspaceKey })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ json }) => String(json["integrity"]!["key_id"]))).size, 1)
    })
  )

  it.effect("says nothing of the settings that a run was sent", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const settings = { model: "openai/gpt-5", instructions: "Keep to the house rules" }
      const agent = { name: "Open", overridable: Object.keys(settings) }
      const { json } = yield* api.call("POST", "/api/v1/agents", { key, body: agent })
      const body = { agent_id: json["agent_id"], message: "Hello", wait_seconds: 20, ...settings }
      const run = (yield* api.call("POST", "/api/v1/runs/", { key, body })).json
      assert.deepStrictEqual<unknown>([run["status"], run["overrides"]], ["succeeded", settings])
      for (const accept of ["application/json", "text/markdown", "text/html"]) {
        const { text } = yield* api.call("GET", recordPath(run), { key, headers: { accept } })
        assert.include(text, "You said: Hello", accept)
        for (const setting of Object.values(settings)) assert.notInclude(text, setting, accept)
      }
    })
  )

  it.effect("says nothing of costs on demand", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const spend = { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000, output_tokens: 10 }
      const run = yield* ended(tenant, { input: { steps: [{ spend }, { say: "Hello" }] } })
      const key = tenant.workspaceKey
      const plain = yield* api.call("GET", `${recordPath(run)}?include_cost=false`, { key })
      assert.notMatch(plain.text, /cost_usd|usage/)
      const timeline = plain.json["timeline"] as unknown as ReadonlyArray<{ type: string; data: object }>
      const request = timeline.find(({ type }) => type === "llm.request")
      assert.sameMembers(Object.keys(request?.data ?? {}), [
        "request_id",
        "status",
        "error_code",
        "finish_reason",
        "started_at",
        "duration_ms",
        "time_to_first_token_ms"
      ])
      assert.isTrue(isGenuine(plain.json, (yield* api.call("GET", KEYS)).json))
      const capped = yield* ended(tenant, { input: { steps: [{ spend }] }, max_cost_usd: "0.000001" })
      assert.match(String(capped["error"]), /USD/)
      const failed = yield* api.call("GET", `${recordPath(capped)}?include_cost=false`, { key })
      assert.include(failed.text, "A model call was refused")
      assert.notInclude(failed.text, "USD")
      const page = yield* api.call("GET", `${recordPath(run)}?include_cost=false`, {
        key,
        headers: { accept: "text/html" }
      })
      assert.notMatch(page.text, /Cost|cost_usd|Tokens/)
      assert.match((yield* api.call("GET", `${recordPath(run)}?include_cost=true`, { key })).text, /cost_usd/)
      assert.strictEqual((yield* api.call("GET", `${recordPath(run)}?include_cost=no`, { key })).status, 422)
    })
  )

  it.effect("blacks secrets out wherever they slipped in, in every format, and says where", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const slips = [key, `Bearer ${"s3cret".repeat(4)}`, `${"whsec"}_${"QUJD".repeat(8)}`]
      const steps = [{ say: slips[0] }, { say: ` ${slips[1]}` }, { return: { deep: [slips[2]] } }]
      const run = yield* ended(tenant, { message: `Use ${key}`, input: { steps } })
      const secrets = [key, "s3crets3cret", "QUJDQUJD"]
      for (const accept of ["application/json", "text/markdown", "text/html"]) {
        const { text } = yield* api.call("GET", recordPath(run), { key, headers: { accept } })
        for (const secret of secrets) assert.notInclude(text, secret, accept)
      }
      const { json } = yield* api.call("GET", recordPath(run), { key })
      const redactions = json["redactions"] as unknown as ReadonlyArray<{ pointer: string; kind: string }>
      assert.includeDeepMembers(
        redactions.map(({ kind, pointer }) => ({ kind, pointer })),
        [
          { kind: "api_key", pointer: "/messages/0/text" },
          { kind: "bearer_token", pointer: "/run/input/steps/1/say" },
          { kind: "webhook_secret", pointer: "/run/input/steps/2/return/deep/0" }
        ]
      )
      // The agent's result was redacted when the run ended.
      assert.deepStrictEqual(run["result"] as unknown, { deep: ["[redacted: webhook_secret]"] })
      assert.include(String(run["message"]), "[redacted: api_key]")
    })
  )

  it.effect("answers 409 run_not_finished before the end", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const run = yield* ended(tenant, { input: { steps: [{ sleep_ms: 60_000 }] }, wait_seconds: 0 })
      const { json, status } = yield* api.call("GET", recordPath(run), { key: tenant.workspaceKey })
      assert.strictEqual(`${status} ${json["code"]}`, "409 run_not_finished")
    })
  )

  it.effect("has a question and its answer, from both sides", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const question = yield* ended(tenant, { input: { steps: [{ ask: "Shall I?", interrupt: { a: 1 } }] } })
      const approvals = (run: Json) =>
        Effect.map(api.call("GET", recordPath(run), { key }), ({ json }) => json["approvals"] as unknown)
      assert.deepInclude(((yield* approvals(question)) as Array<object>)[0], { question: "Shall I?", status: "open" })
      const reply = yield* api.call("POST", `/api/v1/sessions/${question["session_id"]}/messages`, {
        key,
        body: { message: "Yes", decision: "approve" }
      })
      yield* api.call("GET", `/api/v1/runs/${reply.json["run_id"]}?wait_seconds=20`, { key })
      const [asked, answered] = [yield* approvals(question), yield* approvals(reply.json)]
      assert.deepStrictEqual(asked, answered)
      const [{ answer }] = asked as [{ answer: Record<string, unknown> }]
      assert.deepInclude(answer, { message: "Yes", reply: { decision: "approve", data: null } })
    })
  )

  it.effect("comes as Markdown and as a page in which a run's words stay words", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const evil = "<script>alert(1)</script>\n# A heading\n[a](javascript:b) ![c](d) | e | `` ``` \n</pre><!-- \u2028"
      const steps = [{ say: evil }, { return: { "</script><b>": evil } }]
      const run = yield* ended(tenant, { message: evil, input: { steps } })
      const html = yield* api.call("GET", recordPath(run), { key, headers: { accept: "text/html" } })
      assert.strictEqual(html.headers.get("content-type"), "text/html; charset=utf-8")
      assert.match(html.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'unsafe-inline'/)
      assert.strictEqual(html.text.match(/<script/g)?.length, 1)
      assert.strictEqual(html.text.match(/<\/script>/g)?.length, 1)
      assert.notMatch(html.text, /<b>|<!-- |(?:src|href|url\()=?/)
      const embedded = /<script type="application\/json" id="record">(.*)<\/script>/s.exec(html.text)?.[1]
      assert.isTrue(isGenuine(JSON.parse(embedded ?? ""), (yield* api.call("GET", KEYS)).json))
      const markdown = yield* api.call("GET", recordPath(run), { key, headers: { accept: "text/markdown" } })
      assert.strictEqual(markdown.headers.get("content-type"), "text/markdown; charset=utf-8")
      const prose = markdown.text.replaceAll(/^(`{3,})json\n[\s\S]*?\n\1$/gm, "")
      assert.notMatch(prose, /^# A heading|[^\\]<script|[^\\]\[a|[^\\]!\\?\[c/m)
      assert.strictEqual(prose.match(/^#+ /gm)?.length, 6)
    })
  )
})
