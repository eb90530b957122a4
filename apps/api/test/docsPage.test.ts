/** The reference to click through. Spec: Operations. */

import { Api } from "@agent-platform/contract"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { layer as layerApi, TestApi } from "./support.ts"

/** Most bytes that everything which the page loads may take on the wire. */
const BYTES_MAX = 300_000

const get = (path: string, coding = "identity") =>
  Effect.flatMap(TestApi, (api) => api.call("GET", path, { headers: { "accept-encoding": coding } }))

/** The addresses that a file of the page loads. */
const loadedBy = (path: string, text: string): ReadonlyArray<string> =>
  path.endsWith(".js")
    ? [...text.matchAll(/from "(\.\/[^"]+)"|fetch\("([^"]+)"\)/g)].map(
        ([, module, fetched]) => fetched ?? new URL(module ?? "", `http://a${path}`).pathname
      )
    : [...text.matchAll(/(?:src|href)="(?!#)([^"]+)"/g)].map(([, address = ""]) => address)

/** Everything that the page loads, itself first. */
const everything = Effect.gen(function* () {
  const paths = ["/docs"]
  const texts = new Map<string, string>()
  for (const path of paths) {
    const { status, text } = yield* get(path)
    assert.strictEqual(status, 200, path)
    texts.set(path, text)
    if (path === "/openapi.json") continue
    for (const next of loadedBy(path, text)) if (!paths.includes(next)) paths.push(next)
  }
  return texts
})

layer(layerApi, { excludeTestServices: true })("GET /docs", (it) => {
  it.effect("answers 200 with a page of its own files, which runs no script and no style inside of it", () =>
    Effect.gen(function* () {
      const texts = yield* everything
      assert.sameMembers(
        [...texts.keys()],
        [
          "/docs",
          "/docs/page.css",
          "/docs/page.js",
          "/docs/elements.js",
          "/docs/operations.js",
          "/docs/schemas.js",
          "/openapi.json"
        ]
      )
      const page = texts.get("/docs") ?? ""
      assert.notMatch(page, /<script(?![^>]* src=)|<style|style=|\son[a-z]+=/)
      for (const path of ["/docs", "/docs/page.js"]) {
        const policy = (yield* get(path)).headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "script-src 'self'")
        assert.notInclude(policy, "unsafe")
      }
    })
  )

  it.effect("has no other files", () =>
    Effect.gen(function* () {
      for (const file of ["page.html", "..%2Fdocuments.ts", "toString", ""]) {
        assert.strictEqual((yield* get(`/docs/x${file}`)).status, 404, file)
        if (file !== "") assert.strictEqual((yield* get(`/docs/${file}`)).status, 404, file)
      }
    })
  )

  it.effect("loads in less than 300 kB, compressed in either way", () =>
    Effect.gen(function* () {
      const texts = yield* everything
      for (const coding of ["br", "gzip"]) {
        let bytes = 0
        for (const path of texts.keys()) {
          const { headers } = yield* Effect.flatMap(TestApi, (api) =>
            api.call("HEAD", path, { headers: { "accept-encoding": coding } })
          )
          assert.strictEqual(headers.get("content-encoding"), coding, path)
          bytes += Number(headers.get("content-length"))
        }
        assert.isAbove(bytes, 1_000)
        assert.isBelow(bytes, BYTES_MAX, coding)
      }
    })
  )
})

/** As much of an element as the page asks for. */
class Element {
  readonly children: Array<Element | string> = []
  readonly listeners: Array<() => void> = []
  setAttribute() {}
  append(...more: ReadonlyArray<Element | string>) {
    const misfit = more.find((one) => !(one instanceof Element) && typeof one !== "string")
    if (misfit !== undefined) assert.fail(`${misfit} is no element and no text`)
    this.children.push(...more)
  }
  addEventListener(_: string, listener: () => void) {
    this.listeners.push(listener)
  }
  get text(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.text)).join(" ")
  }
  /** Opens what is folded, so many times one inside of the other. */
  open(depth: number): void {
    if (depth === 0) return
    for (const listener of this.listeners) listener()
    for (const child of this.children) {
      if (child instanceof Element) child.open(child.listeners.length > 0 ? depth - 1 : depth)
    }
  }
}

describe("the reference in the browser", () => {
  it("shows every operation of the document with its members, and every event", async () => {
    Reflect.set(globalThis, "document", { createElement: () => new Element() })
    try {
      const { operationsOf, operationView } = await import(
        new URL("../src/routes/docs/operations.js", import.meta.url).href
      )
      const api = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
      const operations = operationsOf(api)
      const count = Object.values(api.paths as object).flatMap((methods) => Object.keys(methods)).length
      assert.strictEqual(operations.length, count + Object.keys(api.webhooks).length)
      assert.strictEqual(new Set(operations.map(({ id }: { id: string }) => id)).size, operations.length)
      for (const one of operations) {
        const view = new Element()
        view.append(...operationView(api, one))
        view.open(3)
        assert.include(view.text, one.operation.summary ?? one.title)
      }
      const shown = new Element()
      shown.append(
        ...operationView(
          api,
          operations.find(({ id }: { id: string }) => id === "triggerRun")
        )
      )
      shown.open(2)
      for (const text of ["POST /api/v1/runs/", "agent_id", "required", "runs:write", "wait_seconds", "finished_at"]) {
        assert.include(shown.text, text)
      }
    } finally {
      Reflect.deleteProperty(globalThis, "document")
    }
  })
})
