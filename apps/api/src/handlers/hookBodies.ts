/** Bodies sent to inbound URLs: JSON, or a form that becomes JSON. */
import { UnsupportedMediaType } from "@agent-platform/contract"
import { Effect, type Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { parseJson } from "../edge/layerJsonBody.ts"
import { utf8MediaType } from "../edge/mediaType.ts"
import { invalid } from "../edge/problems.ts"

/** Most fields of a form; a name that is repeated counts each time. */
export const FORM_FIELDS_MAX = 1_000

const isJson = (type: string): boolean => /^application\/(?:[\w.+-]+\+)?json$/.test(type)

const fieldsIn = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) count++
  return count
}

/** A form as JSON. Each name has its text, or a list of texts where the name is repeated. */
const parseForm = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes)
  if (fieldsIn(text) > FORM_FIELDS_MAX) return yield* invalid("", `must be a form of at most ${FORM_FIELDS_MAX} fields`)
  const fields = new Map<string, Array<string>>()
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  const members = Array.from(
    fields,
    ([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values] as const
  )
  return Object.fromEntries<string | ReadonlyArray<string>>(members)
})

/** The JSON that GitHub puts into the only field of a form; undefined for another form. */
const wrappedIn = (form: Readonly<Record<string, string | ReadonlyArray<string>>>): string | undefined => {
  const { payload } = form
  const isWrapped = typeof payload === "string" && Object.keys(form).length === 1 && payload.trimStart().startsWith("{")
  return isWrapped ? payload : undefined
}

/** The body of a request as JSON. */
export const parseHook = Effect.fnUntraced(function* (
  { headers }: HttpServerRequest.HttpServerRequest,
  bytes: Uint8Array
) {
  const type =
    headers["content-encoding"] === undefined || headers["content-encoding"] === "identity"
      ? utf8MediaType(headers["content-type"])
      : undefined
  if (type !== undefined && isJson(type)) return (yield* parseJson(bytes)) as Schema.Json
  if (type === "application/x-www-form-urlencoded") {
    const form = yield* parseForm(bytes)
    const event = wrappedIn(form)
    return event === undefined ? form : ((yield* parseJson(new TextEncoder().encode(event))) as Schema.Json)
  }
  return yield* new UnsupportedMediaType({
    code: "unsupported_media_type",
    detail: "Send JSON or a form, in UTF-8 and without a content encoding"
  })
})
