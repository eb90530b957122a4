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

/** Repeats what is worth it and safe, honouring `Retry-After`, and gives every creation an Idempotency-Key. */
export const repeating =
  (overrides: Partial<RetryPolicy> = {}) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const policy = { ...RETRY_DEFAULTS, ...overrides }
    return client.pipe(
      HttpClient.transform((effect, request) => {
        const repeatable = { method: request.method, keyed: request.headers["idempotency-key"] !== undefined }
        /** How long to wait before the next try; undefined where there is to be none. */
        const waitFor = (came: Attempt, tries: number) =>
          Effect.map(Random.next, (random) => repeatAfter(repeatable, came, tries, policy, random))
        const attempt = (tries: number): typeof effect =>
          Effect.matchEffect(effect, {
            onFailure: (error) =>
              error.reason._tag === "TransportError"
                ? Effect.flatMap(waitFor("unanswered", tries), (millis) =>
                    millis === undefined
                      ? Effect.fail(error)
                      : Effect.andThen(
                          Effect.sleep(millis),
                          Effect.suspend(() => attempt(tries + 1))
                        )
                  )
                : Effect.fail(error),
            onSuccess: (response) =>
              response.status < 400
                ? Effect.succeed(response)
                : Effect.gen(function* () {
                    const retryAfter = retryAfterSeconds(
                      response.headers["retry-after"],
                      yield* Clock.currentTimeMillis
                    )
                    const came = { status: response.status, code: yield* codeOf(response), retryAfter }
                    const millis = yield* waitFor(came, tries)
                    if (millis === undefined) return response
                    yield* Effect.sleep(millis)
                    return yield* attempt(tries + 1)
                  })
          })
        return attempt(1)
      }),
      HttpClient.mapRequestEffect(withKey)
    )
  }
