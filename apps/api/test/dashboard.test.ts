/** The dashboard at the API's own origin: a built page, its files, and the addresses that are not its. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { DashboardFolder } from "../src/routes/dashboardFiles.ts"
import { layer as layerApi, TestApi } from "./support.ts"

const PAGE = `<!doctype html><title>A page</title>${" ".repeat(2_000)}`
const SCRIPT = "globalThis.isLoaded = true"
const HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

const folder = mkdtempSync(join(tmpdir(), "agent-platform-page-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
  writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
}

const build = () => {
  mkdirSync(join(folder, "assets"), { recursive: true })
  write("index.html", PAGE)
  write("assets/index-Ab12.js", SCRIPT)
}

const get = (path: string, headers: Readonly<Record<string, string>> = { accept: HTML }, method = "GET") =>
  Effect.flatMap(TestApi, (api) => api.call(method, path, { headers }))

const layerPage = layerApi.pipe(Layer.provide(Layer.succeed(DashboardFolder, folder)))

describe("the dashboard", () => {
  layer(layerPage, { excludeTestServices: true })((it) => {
    it.effect("is not there before it is built, and then without a restart", () =>
      Effect.gen(function* () {
        assert.strictEqual(String((yield* get("/")).json["code"]), "not_found")
        build()
        assert.strictEqual((yield* get("/")).text, PAGE)
      })
    )

    it.effect("is the answer at every address of a person's, under a policy that lets it run its own files alone", () =>
      Effect.gen(function* () {
        build()
        for (const path of ["/", "/runs", "/runs/0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", "/apis", "/a/b?c=d"]) {
          const { headers, status, text } = yield* get(path)
          assert.strictEqual(status, 200, path)
          assert.strictEqual(text, PAGE, path)
          assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
          assert.strictEqual(headers.get("cache-control"), "no-cache")
          const policy = headers.get("content-security-policy") ?? ""
          for (const part of [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'"
          ]) {
            assert.include(policy.split("; "), part)
          }
          assert.notInclude(policy, "unsafe")
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
        }
      })
    )

    it.effect("leaves to programs what is theirs", () =>
      Effect.gen(function* () {
        build()
        for (const path of [
          "/api",
          "/api/v2",
          "/api/v1/unknown",
          "/docs/unknown",
          "/problems/unknown",
          "/.well-known/x"
        ]) {
          const { json, status } = yield* get(path)
          assert.deepStrictEqual([status, String(json["code"])], [404, "not_found"], path)
        }
        for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.5"]) {
          assert.strictEqual((yield* get("/runs", { accept })).status, 404, accept)
        }
        assert.strictEqual((yield* get("/runs", { accept: HTML }, "POST")).status, 404)
        assert.strictEqual((yield* get("/api/v1/auth/logout")).status, 405)
      })
    )

    it.effect("has files that are kept for good, in the form that the browser takes", () =>
      Effect.gen(function* () {
        build()
        for (const coding of ["br", "gzip"]) {
          const { headers, text } = yield* get("/assets/index-Ab12.js", { accept: "*/*", "accept-encoding": coding })
          assert.strictEqual(headers.get("content-encoding"), coding)
          assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
          assert.strictEqual(headers.get("content-type"), "text/javascript; charset=utf-8")
          assert.strictEqual(text, SCRIPT)
          const held = headers.get("etag") ?? ""
          assert.strictEqual((yield* get("/assets/index-Ab12.js", { "if-none-match": held })).status, 304)
        }
        const head = yield* get("/assets/index-Ab12.js", { accept: "*/*" }, "HEAD")
        assert.deepStrictEqual([head.status, head.text], [200, ""])
      })
    )

    it.effect("gives out no file beside those that were built", () =>
      Effect.gen(function* () {
        build()
        for (const name of [
          "unknown.js",
          "index-Ab12.js.br",
          "../index.html",
          "..%2Findex.html",
          "%2e%2e/sources",
          ""
        ]) {
          assert.strictEqual((yield* get(`/assets/${name}`, { accept: "application/json" })).status, 404, name)
        }
      })
    )
  })
})
