/** The documents that are large and the same for everybody. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { makeDocument } from "../src/routes/documents.ts"
import { rawRequest } from "./rawRequest.ts"
import { layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("large documents", (it) => {
  for (const path of ["/docs/operations.js", "/openapi.json"]) {
    describe(path, () => {
      const get = (headers: Readonly<Record<string, string>>) =>
        Effect.flatMap(TestApi, (api) => api.call("GET", path, { headers }))

      it.effect("comes in the coding that is wanted most, and is the same in each", () =>
        Effect.gen(function* () {
          const wanted: ReadonlyArray<readonly [accept: string, coding: string | null]> = [
            ["gzip, deflate, br", "br"],
            ["gzip", "gzip"],
            ["br;q=0, gzip;q=0.5, *;q=0.1", "gzip"],
            ["br;q=0.5, gzip;q=0.8", "gzip"],
            ["*", "br"],
            ["identity", null],
            ["deflate", null],
            ["br;q=0, gzip;q=0, identity;q=0", null]
          ]
          const plain = yield* get({ "accept-encoding": "identity" })
          for (const [accept, coding] of wanted) {
            const { headers, status, text } = yield* get({ "accept-encoding": accept })
            assert.strictEqual(status, 200)
            assert.strictEqual(headers.get("content-encoding"), coding, accept)
            assert.strictEqual(headers.get("vary"), "Accept-Encoding, Origin")
            assert.strictEqual(headers.get("cache-control"), "public, max-age=300")
            assert.isTrue(text === plain.text, accept)
          }
        })
      )

      it.effect("comes as it is to who says nothing of codings, and much shorter to others", () =>
        Effect.gen(function* () {
          const api = yield* TestApi
          const answer = yield* rawRequest(`HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          assert.match(answer, /^HTTP\/1\.1 200 /)
          assert.notMatch(answer, /content-encoding/i)
          const length = Number(/content-length: (\d+)/i.exec(answer)?.[1])
          const { headers } = yield* api.call("HEAD", path, { headers: { "accept-encoding": "br" } })
          assert.isBelow(Number(headers.get("content-length")) * 2, length)
        })
      )

      it.effect("answers 304 to who has it, in whatever coding", () =>
        Effect.gen(function* () {
          const codings = ["br", "gzip", "identity"]
          const tags = yield* Effect.forEach(codings, (coding) =>
            Effect.map(get({ "accept-encoding": coding }), ({ headers }) => headers.get("etag") ?? "")
          )
          assert.strictEqual(new Set(tags).size, 1)
          const [tag = ""] = tags
          const ask = (given: string) => get({ "accept-encoding": "br", "if-none-match": given })
          for (const given of [tag, tag.slice("W/".length), `"x", ${tag}`, "*"]) {
            const { headers, status, text } = yield* ask(given)
            assert.strictEqual(`${status} ${text}`, "304 ")
            assert.strictEqual(headers.get("etag"), tag)
            assert.strictEqual(headers.get("vary"), "Accept-Encoding, Origin")
          }
          for (const given of [`"x"`, "", tag.slice("W/".length + 1, -1)])
            assert.strictEqual((yield* ask(given)).status, 200)
        })
      )
    })
  }
})

describe("a document", () => {
  it.effect("is compressed once: every answer has the same bytes", () =>
    Effect.gen(function* () {
      const bytes = new TextEncoder().encode("a document ".repeat(1_000))
      const answer = yield* makeDocument({ bytes, contentType: "text/plain", headers: {} })
      const ask = Effect.provideService(
        answer,
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://a/", { headers: { "accept-encoding": "br" } }))
      )
      const [one, two] = [yield* ask, yield* ask]
      assert.isTrue(one.body._tag === "Uint8Array" && two.body._tag === "Uint8Array" && one.body.body === two.body.body)
    })
  )
})
