import { Egress, type RequestFailed } from "@agent-platform/kernel"
import { type ProbeOutcome, type ProbeQuestion, type Provider, ProviderProbe } from "@agent-platform/keys"
import { Effect, Layer, Redacted } from "effect"
import { classifyAnswer } from "./classifyAnswer.ts"
import { readAnswer } from "./ProviderAnswer.ts"
import { askForToken } from "./vertex/googleTokens.ts"

/** Where each provider is called. A path goes right behind it. */
export interface ProviderUrls {
  readonly openai: string
  readonly anthropic: string
  readonly google: string
  /** Where Google exchanges statements of service accounts for tokens: the whole address. */
  readonly googleToken: string
}

/** The version of its interface that Anthropic demands to be named. */
const ANTHROPIC_VERSION = "2023-06-01"

/** How long a question may take, and how long the same question without a key. */
const QUESTION_MILLIS = 10_000
const QUESTION_WITHOUT_KEY_MILLIS = 5_000

/** How much of an answer is read. Refusals are short; of a list of models nothing is needed. */
const ANSWER_BYTES_MAX = 64 * 1024

const joined = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, "")}${path}`

/** Amazon lists its models at another host than the one that calls them. */
const bedrockModels = (baseUrl: string): string =>
  joined(baseUrl.replace("://bedrock-runtime", "://bedrock"), "/foundation-models")

/**
 * The list of models of each provider, and how the key is shown: always in a header, for addresses end up in logs. `baseUrl` is null
 * for providers that have one address for everybody.
 */
const requestOf = (
  provider: Exclude<Provider, "vertex">,
  urls: ProviderUrls,
  baseUrl: string | null,
  key: string
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } => {
  switch (provider) {
    case "openai":
      return { url: joined(urls.openai, "/models"), headers: { authorization: `Bearer ${key}` } }
    case "azure":
      return { url: joined(baseUrl ?? "", "/models"), headers: { "api-key": key } }
    case "bedrock":
      return { url: bedrockModels(baseUrl ?? ""), headers: { authorization: `Bearer ${key}` } }
    case "openai_compatible":
      return { url: joined(baseUrl ?? "", "/models"), headers: { authorization: `Bearer ${key}` } }
    case "anthropic":
      return {
        url: joined(urls.anthropic, "/models?limit=1"),
        headers: { "x-api-key": key, "anthropic-version": ANTHROPIC_VERSION }
      }
    case "google":
      return { url: joined(urls.google, "/models?pageSize=1"), headers: { "x-goog-api-key": key } }
  }
}

const EMPTY_KEY: ProbeOutcome = { type: "rejected", providerStatus: null, providerCode: null }
const NO_ANSWER: ProbeOutcome = { type: "unreachable", providerStatus: null, providerCode: null }

/**
 * Asks for the list of models, which costs no tokens; with a key of Vertex AI for an access token instead. A compatible server that
 * accepts the key is asked once more without one: if it shows its models to anybody, it has said nothing about the key.
 */
export const layer = (urls: ProviderUrls): Layer.Layer<ProviderProbe, never, Egress> =>
  Layer.effect(
    ProviderProbe,
    Effect.map(Egress, (egress) => {
      const ask = (url: string, headers: Readonly<Record<string, string>>, deadlineMillis: number) =>
        egress.send({
          purpose: "providers",
          method: "GET",
          url,
          headers: { accept: "application/json", ...headers },
          body: null,
          deadlineMillis,
          readBytesMax: ANSWER_BYTES_MAX
        })

      return ProviderProbe.of({
        admit: (baseUrl) => egress.admit(baseUrl, "providers"),
        probe: Effect.fn("models.probe")(
          function* ({ baseUrl, key, provider }: ProbeQuestion): Effect.fn.Return<ProbeOutcome, RequestFailed> {
            if (Redacted.value(key) === "") return EMPTY_KEY
            // Fetching tokens is all that such a key is good for, so one that gets a token is accepted.
            if (provider === "vertex") {
              return yield* askForToken(egress, urls.googleToken, key).pipe(
                Effect.as<ProbeOutcome>({ type: "accepted" }),
                Effect.catchTag("TokenRefused", ({ outcome }) => Effect.succeed(outcome))
              )
            }
            const { headers, url } = requestOf(provider, urls, baseUrl, Redacted.value(key))
            const outcome = classifyAnswer(provider, readAnswer(yield* ask(url, headers, QUESTION_MILLIS)), key)
            if (provider !== "openai_compatible" || outcome.type !== "accepted") return outcome
            const withoutKey = yield* ask(url, {}, QUESTION_WITHOUT_KEY_MILLIS)
            const isOpen = withoutKey.status >= 200 && withoutKey.status < 300
            return isOpen ? { type: "unsupported", providerStatus: withoutKey.status, providerCode: null } : outcome
          },
          // Failures of requests say nothing about keys, and their details do not help to register one.
          Effect.catchTag("RequestFailed", () => Effect.succeed(NO_ANSWER))
        )
      })
    })
  )
