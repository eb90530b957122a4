/** How answers to reads are sent: tagged, compressed, or not at all to who has them. */
import { readFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SHOWS_SECRET } from "../src/edge/represent.ts"
import { aPerson } from "./people.ts"
import { layer as layerApi, TestApi } from "./support.ts"

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Asks without undoing what was compressed, as `fetch` would. */
const ask = (path: string, headers: Readonly<Record<string, string>>, method = "GET", sent?: unknown) =>
  Effect.flatMap(TestApi, ({ url }) =>
    Effect.promise(
      () =>
        new Promise<Raw>((resolve, reject) => {
          const type = sent === undefined ? {} : { "content-type": "application/json" }
          const call = httpRequest(`${url}${path}`, { method, headers: { ...headers, ...type } }, (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk) => chunks.push(chunk))
            response.on("end", () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers as Raw["headers"],
                body: Buffer.concat(chunks)
              })
            )
          })
          call.on("error", reject)
          call.end(sent === undefined ? undefined : JSON.stringify(sent))
        })
    )
  )

const withAgents = Effect.gen(function* () {
  const api = yield* TestApi
  const tenant = yield* api.tenant
  const agent = { name: "Greeter", recipe: "demo", instructions: "Be brief. ".repeat(200) }
  const made = yield* api.call("POST", "/api/v1/agents", { key: tenant.workspaceKey, body: agent })
  return { tenant, path: `/api/v1/agents/${made.json["agent_id"]}`, key: { "x-api-key": tenant.workspaceKey } }
})

layer(layerApi, { excludeTestServices: true })("an answer to a read", (it) => {
  describe("is compressed", () => {
    it.effect("as its caller wants it, and says so", () =>
      Effect.gen(function* () {
        const { key, path } = yield* withAgents
        const plain = yield* ask(path, key)
        assert.isUndefined(plain.headers["content-encoding"])
        const undo = { br: brotliDecompressSync, gzip: gunzipSync }
        for (const [accepted, coding] of [
          ["br", "br"],
          ["gzip, deflate, br", "br"],
          ["gzip;q=1, br;q=0.5", "gzip"],
          ["gzip, *;q=0", "gzip"]
        ] as const) {
          const { body, headers, status } = yield* ask(path, { ...key, "accept-encoding": accepted })
          assert.strictEqual(status, 200)
          assert.strictEqual(headers["content-encoding"], coding, accepted)
          assert.strictEqual(headers["content-length"], String(body.length))
          assert.strictEqual(headers["etag"], plain.headers["etag"])
          assert.isBelow(body.length, plain.body.length / 2)
          assert.strictEqual(undo[coding](body).toString(), plain.body.toString())
        }
        for (const accepted of ["identity", "deflate", "br;q=0, gzip;q=0", ""]) {
          const { body, headers } = yield* ask(path, { ...key, "accept-encoding": accepted })
          assert.isUndefined(headers["content-encoding"], accepted)
          assert.strictEqual(body.toString(), plain.body.toString())
        }
        for (const { headers } of [plain, yield* ask(path, { ...key, "accept-encoding": "br" })]) {
          assert.include(headers["vary"], "Accept-Encoding")
          assert.include(headers["vary"], "Origin")
        }
      })
    )

    it.effect("to HEAD by the same headers, without a body", () =>
      Effect.gen(function* () {
        const { key, path } = yield* withAgents
        for (const coding of ["identity", "gzip", "br"]) {
          const wanting = { ...key, "accept-encoding": coding }
          const [whole, head] = [yield* ask(path, wanting), yield* ask(path, wanting, "HEAD")]
          assert.deepStrictEqual([head.status, head.body.length], [200, 0])
          for (const name of ["etag", "vary", "content-encoding", "content-type", "content-length"]) {
            assert.strictEqual(head.headers[name], whole.headers[name], `${coding} ${name}`)
          }
          const held = { ...wanting, "if-none-match": String(whole.headers["etag"]) }
          assert.strictEqual((yield* ask(path, held, "HEAD")).status, 304)
        }
      })
    )

    it.effect("as a whole where a part is asked for, and never as a stream", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { key, path, tenant } = yield* withAgents
        const part = yield* ask(path, { ...key, range: "bytes=0-9", "accept-encoding": "br" })
        assert.deepStrictEqual([part.status, part.headers["content-encoding"]], [200, "br"])
        assert.isUndefined(part.headers["content-range"])
        const made = yield* api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id: path.split("/").at(-1) }
        })
        const log = `/api/v1/runs/${made.json["run_id"]}/logs`
        const stream = yield* api.fetch("GET", log, { key: tenant.workspaceKey, headers: { "accept-encoding": "br" } })
        assert.isNull(stream.headers.get("etag"))
        assert.isNull(stream.headers.get("content-encoding"))
        yield* Effect.promise(() => stream.body?.cancel() ?? Promise.resolve())
      })
    )

    it.effect("where it is long, and neither where it is a problem nor an answer to a write", () =>
      Effect.gen(function* () {
        const { key, tenant } = yield* withAgents
        const wanting = { ...key, "accept-encoding": "br" }
        const description = "x".repeat(400)
        const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`name-${at}`, "y".repeat(400)]))
        const answers = [
          yield* ask("/api/v1/auth/workspace", wanting),
          yield* ask("/api/v1/agents?limit=0", wanting),
          yield* ask("/api/v1/auth/api-keys", wanting, "POST", { name: "CI", metadata }),
          yield* ask("/api/v1/org/webhooks", { "x-api-key": tenant.orgKey, "accept-encoding": "br" }, "POST", {
            url: "https://example.com/",
            description
          })
        ]
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          [200, 422, 201, 201]
        )
        for (const { headers } of answers) assert.isUndefined(headers["content-encoding"])
      })
    )

    it.effect("never where a read shows a secret, and every such read is known", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const person = yield* aPerson(tenant, "owner", {})
        const { headers, status } = yield* ask("/api/v1/auth/me", { ...person.headers, "accept-encoding": "br" })
        assert.strictEqual(status, 200)
        assert.isUndefined(headers["content-encoding"])
        const document = JSON.parse(
          readFileSync(new URL("../../../packages/contract/openapi.json", import.meta.url), "utf8")
        )
        const secrets = (schema: unknown, seen: ReadonlySet<unknown> = new Set()): ReadonlyArray<string> => {
          if (typeof schema !== "object" || schema === null || seen.has(schema)) return []
          const { $ref, properties = {}, ...rest } = schema as { $ref?: string; properties?: Record<string, unknown> }
          const within = new Set([...seen, schema])
          const target = $ref === undefined ? undefined : document.components.schemas[$ref.split("/").at(-1) ?? ""]
          return [
            ...Object.keys(properties).filter((name) => /secret|password|(^|_)token$|^(value|key)$/.test(name)),
            ...[target, ...Object.values(properties), ...Object.values(rest)].flatMap((part) => secrets(part, within))
          ]
        }
        const showing = Object.entries(
          document.paths as Record<string, { get?: { responses: Record<string, unknown> } }>
        )
          .filter(([, { get }]) => secrets(get?.responses["200"]).length > 0)
          .map(([path]) => path)
        // An agent's secret is shown by the write that makes it, and so is a template's; their reads have null there. A group of
        // usage has a name for its key.
        const readings = ["usage", "billing"].flatMap((name) => [
          `/api/v1/analytics/${name}`,
          `/api/v1/org/analytics/${name}`
        ])
        const always = [
          "/api/v1/agents",
          "/api/v1/agents/{agent_id}",
          "/api/v1/org/agent-templates",
          "/api/v1/org/agent-templates/{template_id}",
          ...readings
        ]
        assert.sameMembers(showing, [...SHOWS_SECRET, ...always])
      })
    )
  })

  describe("is not sent again", () => {
    it.effect("to who names its tag, in whatever coding, until it is another", () =>
      Effect.gen(function* () {
        const { key, path, tenant } = yield* withAgents
        const api = yield* TestApi
        const { etag = "" } = (yield* ask(path, key)).headers
        assert.match(etag, /^W\/"[\w-]{22}"$/)
        for (const held of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
          const again = yield* ask(path, { ...key, "if-none-match": held, "accept-encoding": "br" })
          assert.deepStrictEqual([again.status, again.body.length], [304, 0], held)
          assert.strictEqual(again.headers["etag"], etag)
          assert.isUndefined(again.headers["content-encoding"])
          assert.isUndefined(again.headers["content-type"])
          assert.include(again.headers["vary"], "Accept-Encoding")
        }
        for (const held of ['"other"', "", etag.slice(0, -2)]) {
          assert.strictEqual((yield* ask(path, { ...key, "if-none-match": held })).status, 200, held)
        }
        yield* api.call("PATCH", path, { key: tenant.workspaceKey, body: { name: "Another" } })
        const changed = yield* ask(path, { ...key, "if-none-match": etag })
        assert.strictEqual(changed.status, 200)
        assert.notStrictEqual(changed.headers["etag"], etag)
      })
    )

    it.effect("and a tag shows nothing to who may not read", () =>
      Effect.gen(function* () {
        const { key, path } = yield* withAgents
        const { etag = "" } = (yield* ask(path, key)).headers
        const stranger = yield* (yield* TestApi).tenant
        const held = { "if-none-match": etag }
        assert.strictEqual((yield* ask(path, { ...held, "x-api-key": stranger.workspaceKey })).status, 404)
        assert.strictEqual((yield* ask(path, held)).status, 401)
      })
    )
  })
})
