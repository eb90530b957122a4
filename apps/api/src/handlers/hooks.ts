/** Where others set agents going. Contract: More decisions, inbound hooks. */
import { Api, Unauthorized, UnsupportedMediaType } from "@agent-platform/contract"
import { parseId } from "@agent-platform/kernel"
import { AgentId, Runs } from "@agent-platform/runs"
import { Effect, Redacted, type Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { parseJson, readBody } from "../edge/layerJsonBody.ts"
import { idempotencyProblems, invalid, notFound, unavailable } from "../edge/problems.ts"
import { acceptanceProblems, inputProblems } from "./runProblems.ts"

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** A form as JSON: text, or a list of texts where a name comes more than once. */
const parseForm = (text: string): Schema.Json => {
  const fields = new URLSearchParams(text)
  const names = [...new Set(fields.keys())]
  return Object.fromEntries(
    names.map((name): [string, Schema.Json] => {
      const values = fields.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? "") : values]
    })
  )
}

const parse = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, bytes: ArrayBuffer) {
  const type = request.headers["content-type"] ?? ""
  const encoding = request.headers["content-encoding"] ?? "identity"
  if (encoding === "identity" && JSON_TYPE.test(type)) return (yield* parseJson(bytes)) as Schema.Json
  if (encoding === "identity" && FORM_TYPE.test(type)) {
    const form = parseForm(new TextDecoder().decode(bytes))
    // GitHub's form has one field, which holds the event as JSON.
    const whole = typeof form === "object" && form !== null && "payload" in form ? form["payload"] : undefined
    const isWrapped = Object.keys(form as object).length === 1 && typeof whole === "string"
    if (!isWrapped || !whole.trimStart().startsWith("{")) return form
    return (yield* parseJson(new TextEncoder().encode(whole).buffer)) as Schema.Json
  }
  return yield* new UnsupportedMediaType({
    code: "unsupported_media_type",
    detail: "Send JSON or a form, without a content encoding"
  })
})

const signatureInvalid = (detail: string) => new Unauthorized({ code: "signature_invalid", detail })

/** Inbound URLs. Their token is the credential; nothing of it is repeated or logged. */
export const layerHooks = HttpApiBuilder.group(
  Api,
  "hooks",
  Effect.fnUntraced(function* (handlers) {
    const runs = yield* Runs
    return handlers.handleAll({
      receiveHook: Effect.fnUntraced(function* ({ params, request }) {
        const agentId = parseId(AgentId, params.agent_id)
        const bytes = yield* readBody(request)
        if (agentId === undefined) return yield* notFound()
        const { value: run } = yield* runs
          .receiveWebhook({
            agentId,
            token: Redacted.make(params.token),
            headers: request.headers,
            raw: new Uint8Array(bytes),
            body: parse(request, bytes)
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...acceptanceProblems,
              ...inputProblems,
              WebhookNotFound: () => Effect.fail(notFound()),
              WebhookSignatureInvalid: ({ detail }) => Effect.fail(signatureInvalid(detail)),
              WebhookInputTooLarge: ({ limitBytes }) =>
                Effect.fail(invalid("", `maps to an input of more than ${limitBytes} bytes`)),
              // The sender comes again; by then its operator may have registered the recipe.
              RecipeUnknown: () => Effect.fail(unavailable("The agent's recipe is not registered here"))
            })
          )
        return { runId: run.id, sessionId: run.sessionId }
      })
    })
  })
)
