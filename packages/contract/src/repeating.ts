/** How the Effect client repeats requests: by the same decisions as the one without Effect. */
import { type Attempt, RETRY_DEFAULTS, type RetryPolicy, repeatAfter, retryAfterSeconds } from "@agent-platform/client"
import { Clock, Effect, Random, SchemaAST } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { Api } from "./v1/Api.ts"

const namesOf = (schema: { readonly ast: SchemaAST.AST } | undefined): ReadonlyArray<string> => {
  const ast = schema && SchemaAST.toEncoded(schema.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** The operations that take an Idempotency-Key, as patterns of the ends of their URLs: a base URL stands before the path. */
const KEYED: Array<{ readonly method: string; readonly pattern: RegExp }> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { headers, method, path } }) => {
    if (!namesOf(headers).includes("idempotency-key")) return
    const pattern = new RegExp(`${path.replaceAll(/:\w+/g, "[^/]+").replace(/\/$/, "")}/?$`)
    KEYED.push({ method, pattern })
  }
})

const takesKey = ({ method, url }: HttpClientRequest.HttpClientRequest): boolean => {
  const path = url.replace(/[?#].*$/, "")
  return KEYED.some((operation) => operation.method === method && operation.pattern.test(path))
}

/** Gives a creation a key of its own, so that it may be repeated; one that the caller gave stays. */
const withKey = (request: HttpClientRequest.HttpClientRequest): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Effect.sync(() =>
    takesKey(request) && request.headers["idempotency-key"] === undefined
      ? HttpClientRequest.setHeader(request, "idempotency-key", crypto.randomUUID())
      : request
  )

const codeOf = (response: HttpClientResponse.HttpClientResponse): Effect.Effect<string | undefined> =>
  response.status !== 409
    ? Effect.succeed(undefined)
    : response.json.pipe(
        Effect.map((body) =>
          typeof body === "object" && body !== null && "code" in body ? String(body.code) : undefined
        ),
        Effect.orElseSucceed(() => undefined)
      )

/** A response that refuses, as the policy judges it. */
const attemptOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const retryAfter = retryAfterSeconds(response.headers["retry-after"], yield* Clock.currentTimeMillis)
  return { status: response.status, code: yield* codeOf(response), retryAfter }
})

/** Repeats what is worth it and safe, honouring `Retry-After`, and gives every creation an Idempotency-Key. */
export const repeating =
  (overrides: Partial<RetryPolicy> = {}) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const policy = { ...RETRY_DEFAULTS, ...overrides }
    return client.pipe(
      HttpClient.transform((effect, request) => {
        const repeatable = { method: request.method, keyed: request.headers["idempotency-key"] !== undefined }
        /** Tries once more after a wait, or ends with `last` where there is to be no other try. */
        const again = (came: Attempt, tries: number, last: typeof effect): typeof effect =>
          Effect.flatMap(Random.next, (random) => {
            const millis = repeatAfter(repeatable, came, tries, policy, random)
            return millis === undefined ? last : Effect.andThen(Effect.sleep(millis), attempt(tries + 1))
          })
        const attempt = (tries: number): typeof effect =>
          Effect.matchEffect(effect, {
            onFailure: (error) => {
              const failed = Effect.fail(error)
              return error.reason._tag === "TransportError" ? again("unanswered", tries, failed) : failed
            },
            onSuccess: (response) => {
              const answered = Effect.succeed(response)
              if (response.status < 400) return answered
              return Effect.flatMap(attemptOf(response), (came) => again(came, tries, answered))
            }
          })
        return attempt(1)
      }),
      HttpClient.mapRequestEffect(withKey)
    )
  }
