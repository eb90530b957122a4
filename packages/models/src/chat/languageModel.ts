import type { KeyCandidate } from "@agent-platform/keys"
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock"
import { createAnthropic } from "@ai-sdk/anthropic"
import { AnthropicLanguageModel } from "@ai-sdk/anthropic/internal"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import { Redacted } from "effect"
import type { ProviderUrls } from "../EgressProviderProbe.ts"
import { dialectOf, type ModelName } from "./ModelName.ts"
import type { OneRequest } from "./oneRequest.ts"

/** Azure takes keys in a header of its own; what the SDK sends as `Authorization` it would take for a token of its directory. */
const withAzureKey =
  (apiKey: string, fetch: OneRequest["fetch"]): OneRequest["fetch"] =>
  (url, init = {}) => {
    const headers = new Headers(init.headers as Headers | undefined)
    headers.delete("authorization")
    headers.set("api-key", apiKey)
    return fetch(url, { ...init, headers })
  }

/** Compatible servers are asked for their counts of tokens and, where a result has a schema, for JSON of it. */
const COMPATIBLE = { includeUsage: true, supportsStructuredOutputs: true }

/** The release of Anthropic's interface that Vertex AI serves, which it wants in the body. */
const VERTEX_CLAUDE = "vertex-2023-10-16"

/** Claude at Vertex AI: Anthropic's messages at an address that has the model, with a token of Google's. */
const claudeAtVertex = (
  token: string,
  baseURL: string,
  model: string,
  fetch: OneRequest["fetch"]
): AnthropicLanguageModel =>
  new AnthropicLanguageModel(model, {
    provider: "anthropic.messages",
    baseURL,
    headers: () => ({ authorization: `Bearer ${token}` }),
    fetch,
    supportedUrls: () => ({}),
    // Vertex AI has neither Anthropic's form for results nor strict tools for all of its models: a tool takes the result.
    supportsNativeStructuredOutput: false,
    supportsStrictTools: false,
    buildRequestUrl: (base, isStreaming) =>
      `${base}/models/${model}:${isStreaming ? "streamRawPredict" : "rawPredict"}`,
    transformRequestBody: ({ model: _, ...body }) => ({ ...body, anthropic_version: VERTEX_CLAUDE })
  })

/** Vertex AI takes tokens; the SDK, which is for Google's other interface, sends keys in a header of their own. */
const withVertexToken =
  (token: string, fetch: OneRequest["fetch"]): OneRequest["fetch"] =>
  (url, init = {}) => {
    const headers = new Headers(init.headers as Headers | undefined)
    headers.delete("x-goog-api-key")
    headers.set("authorization", `Bearer ${token}`)
    return fetch(url, { ...init, headers })
  }

const addressOf = (provider: KeyCandidate["provider"], baseUrl: string | null): string => {
  // No such key can be registered without one.
  if (baseUrl === null) throw new Error(`A key of ${provider} has an address`)
  return baseUrl.replace(/\/+$/, "")
}

/**
 * The model of a key, called through `fetch`. For Vertex AI the value is a token. Key and address are always named, and an empty key is
 * a defect: an SDK that is given none takes those of the environment.
 */
export const languageModelOf = (
  { baseUrl, provider, value }: Pick<KeyCandidate, "provider" | "value" | "baseUrl">,
  name: ModelName,
  urls: ProviderUrls,
  fetch: OneRequest["fetch"]
): LanguageModelV4 => {
  const { model } = name
  const apiKey = Redacted.value(value)
  if (apiKey === "") throw new Error(`The key for ${provider} is empty`)
  switch (provider) {
    case "openai":
      return createOpenAI({ apiKey, baseURL: urls.openai, fetch }).responses(model)
    case "anthropic":
      return createAnthropic({ apiKey, baseURL: urls.anthropic, fetch }).languageModel(model)
    case "google":
      return createGoogle({ apiKey, baseURL: urls.google, fetch }).languageModel(model)
    case "azure": {
      const settings = { apiKey, baseURL: addressOf(provider, baseUrl), fetch: withAzureKey(apiKey, fetch) }
      return createOpenAI(settings).responses(model)
    }
    case "bedrock":
      return createAmazonBedrock({ apiKey, baseURL: addressOf(provider, baseUrl), fetch }).languageModel(model)
    case "vertex": {
      const publishers = `${addressOf(provider, baseUrl)}/publishers`
      if (dialectOf(name) === "anthropic") return claudeAtVertex(apiKey, `${publishers}/anthropic`, model, fetch)
      // Both interfaces of Google's take the same bodies.
      const baseURL = `${publishers}/google`
      return createGoogle({ apiKey, baseURL, fetch: withVertexToken(apiKey, fetch) }).languageModel(model)
    }
    case "openai_compatible": {
      const settings = { name: "compatible", apiKey, baseURL: addressOf(provider, baseUrl), fetch, ...COMPATIBLE }
      return createOpenAICompatible(settings).languageModel(model)
    }
  }
}
