/** A provider on loopback with answers that a test sets, and the probe that asks it over real HTTP. */
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { EgressGuard } from "@agent-platform/egress"
import { type Provider, ProviderProbe } from "@agent-platform/keys"
import { EgressProviderProbe } from "@agent-platform/models"
import { Context, Effect, Layer, Redacted } from "effect"

/** An answer of a provider. `{{key}}` in it stands for the key that was sent, which some repeat. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export const fixture = (name: string): Answer =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"))

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The provider as tests know it. */
export class FakeProvider extends Context.Service<
  FakeProvider,
  {
    readonly url: string
    /** Every request, oldest first. */
    readonly seen: Array<Seen>
    /** Sets the answers from now on, one after another; the last one stays. */
    readonly answerWith: (...answers: ReadonlyArray<Answer>) => void
  }
>()("FakeProvider") {}

const layerProvider = Layer.effect(
  FakeProvider,
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    let answers: ReadonlyArray<Answer> = []
    const server = createServer((request, response) => {
      const { headers, method, url } = request
      seen.push({ method, url, headers })
      const answer = answers[0]
      if (answers.length > 1) answers = answers.slice(1)
      if (answer === undefined) return response.destroy()
      const key = String(headers["x-goog-api-key"] ?? headers["x-api-key"] ?? headers.authorization ?? "")
      const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body)
      response.writeHead(answer.status, answer.headers).end(body.replaceAll("{{key}}", key.replace("Bearer ", "")))
      return response
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("The server listens on a port")
    return {
      url: `http://127.0.0.1:${address.port}`,
      seen,
      answerWith: (...next) => {
        answers = next
        seen.length = 0
      }
    }
  })
)

/** The probe over the real guard, with every provider at the fake one. */
export const layer = Layer.unwrap(
  FakeProvider.use(({ url }) =>
    Effect.succeed(
      EgressProviderProbe.layer({
        openai: `${url}/openai/v1`,
        anthropic: `${url}/anthropic/v1/`,
        google: `${url}/google/v1beta`,
        googleToken: `${url}/google/token`
      })
    )
  )
).pipe(Layer.provide(EgressGuard.layer({ allowLoopback: true })), Layer.provideMerge(layerProvider))

/** A key that looks like one of the provider's and is none. */
export const KEY = "sk-fixture-0123456789-abcdefghijkl"

/** Asks about a key. */
export const ask = Effect.fnUntraced(function* (provider: Provider, key: string = KEY) {
  const probe = yield* ProviderProbe
  const { url } = yield* FakeProvider
  const baseUrls: Partial<Record<Provider, string>> = {
    azure: `${url}/azure/openai/v1`,
    bedrock: `${url}/bedrock`,
    vertex: `${url}/vertex/v1/projects/p/locations/l`,
    openai_compatible: `${url}/compatible/v1/`
  }
  const baseUrl = baseUrls[provider] ?? null
  return yield* probe.probe({ provider, baseUrl, key: Redacted.make(key) })
})
