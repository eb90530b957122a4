import { readFile } from "node:fs/promises"
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import { makeDocument } from "./documents.ts"

/** The page runs its own files alone, asks this server alone, and sends nothing anywhere. */
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

/** The files of the page by their addresses; it makes itself out of /openapi.json. */
const FILES: Readonly<Record<string, { readonly file: string; readonly contentType: string }>> = {
  "/docs": { file: "page.html", contentType: "text/html; charset=utf-8" },
  "/docs/page.css": { file: "page.css", contentType: "text/css; charset=utf-8" },
  ...Object.fromEntries(
    ["page.js", "operations.js", "schemas.js", "elements.js"].map((file) => [
      `/docs/${file}`,
      { file, contentType: "text/javascript; charset=utf-8" }
    ])
  )
}

/** Their addresses. */
export const DOCS_PATHS: ReadonlyArray<string> = Object.keys(FILES)

const made = ({ contentType, file }: (typeof FILES)[string]) =>
  Effect.promise(() => readFile(new URL(`./docs/${file}`, import.meta.url))).pipe(
    Effect.flatMap((bytes) => makeDocument({ bytes, contentType, headers }))
  )

/** The browsable reference at `/docs`: files of a few kilobytes, read when somebody first asks for them. */
export const layerDocs: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    for (const [path, file] of Object.entries(FILES)) {
      // Made to its end, though the first who asks may go away.
      const document = yield* Effect.cached(Effect.uninterruptible(made(file)))
      yield* router.add("GET", path as `/${string}`, Effect.flatten(document))
    }
  })
)
