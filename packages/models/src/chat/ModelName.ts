import type { UsageDialect } from "@agent-platform/billing"
import { Provider } from "@agent-platform/keys"
import { Schema } from "effect"

/** A model and who has it. */
export interface ModelName {
  readonly provider: Provider
  /** The model as its provider calls it. */
  readonly model: string
}

const isProvider = Schema.is(Provider)

/** The form of an agent's `model`, as the end of a sentence. */
export const MODEL_FORM = `must be \`provider/model\`, with one of the providers ${Provider.literals.join(", ")}`

/** Names of models are sent in bodies, and may hold slashes. */
const NAME = /^[\x21-\x7e]+$/

/** Google's names are a part of the address, and must not be able to lead to another model than the one that is priced. */
const GOOGLE_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]*$/

const nameFor = (provider: Provider): RegExp => (provider === "google" || provider === "vertex" ? GOOGLE_NAME : NAME)

/** The model that a text names as `provider/model`; undefined where it has another form. */
export const parseModelName = (text: string | null): ModelName | undefined => {
  const slash = text?.indexOf("/") ?? -1
  if (text === null || slash === -1) return undefined
  const [provider, model] = [text.slice(0, slash), text.slice(slash + 1)]
  return isProvider(provider) && nameFor(provider).test(model) ? { provider, model } : undefined
}

/** Claude at Vertex AI is served beside Google's own models, by Anthropic's interface. */
const CLAUDE = /^claude-/

/**
 * The interface by which a model is called. Azure and Vertex AI serve the models of others by the interface of their makers, Bedrock and
 * compatible servers serve all by one of their own.
 */
export const dialectOf = ({ model, provider }: ModelName): UsageDialect => {
  if (provider === "azure") return "openai"
  if (provider === "vertex") return CLAUDE.test(model) ? "anthropic" : "google"
  return provider
}

const SEMANTIC_NAMES: Partial<Readonly<Record<Provider, string>>> = {
  google: "gcp.gemini",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  vertex: "gcp.vertex_ai"
}

/** OpenTelemetry's `gen_ai.provider.name`. */
export const providerName = (provider: Provider): string => SEMANTIC_NAMES[provider] ?? provider
