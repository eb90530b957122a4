import { readFile } from "node:fs/promises"
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import { CurrentRequest } from "../edge/CurrentRequest.ts"
import { problemResponse } from "../edge/problemResponse.ts"
import { notFound } from "../edge/problems.ts"
import { makeDocument } from "./documents.ts"

/** The page may run only its own files, and may send requests only to this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const headers = { "cache-control": "public, max-age=300", "content-security-policy": CONTENT_SECURITY_POLICY }

const HTML = "text/html; charset=utf-8"
const CSS = "text/css; charset=utf-8"
const SCRIPT = "text/javascript; charset=utf-8"

/** The files that the page loads. Its content comes from /openapi.json. */
const FILES: ReadonlyArray<readonly [file: string, contentType: string]> = [
  ["page.css", CSS],
  ["page.js", SCRIPT],
  ["operations.js", SCRIPT],
  ["schemas.js", SCRIPT],
  ["elements.js", SCRIPT]
]

/** A file of the page, read and compressed on the first request. It is finished even when that request is interrupted. */
const cached = (file: string, contentType: string) =>
  Effect.promise(() => readFile(new URL(`./docs/${file}`, import.meta.url))).pipe(
    Effect.flatMap((bytes) => makeDocument({ bytes, contentType, headers })),
    Effect.uninterruptible,
    Effect.cached
  )

/** The browsable reference at `/docs`. */
export const layerDocs: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const page = yield* cached("page.html", HTML)
    const files = new Map(
      yield* Effect.forEach(FILES, ([file, contentType]) =>
        Effect.map(cached(file, contentType), (document) => [file, document] as const)
      )
    )
    yield* router.add("GET", "/docs", Effect.flatten(page))
    yield* router.add(
      "GET",
      "/docs/:file",
      Effect.gen(function* () {
        const { file = "" } = yield* HttpRouter.params
        const document = files.get(file)
        return document === undefined
          ? problemResponse(notFound(), yield* CurrentRequest)
          : yield* Effect.flatten(document)
      })
    )
  })
)
