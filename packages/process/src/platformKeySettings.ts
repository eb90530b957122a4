/** Settings of the platform's own keys for model providers, which every process has that calls models. */
import { Effect, Predicate, Record, Redacted } from "effect"
import { readAll, type Setting, SettingInvalid, settingOr, settingsIn } from "./Setting.ts"
import { parseServiceUrl } from "./settings.ts"

const platformKey = (name: string, provider: string) =>
  settingOr("none", null, {
    variable: `PLATFORM_${name}_API_KEY`,
    decides:
      `The platform's own key for ${provider}, for workspaces with \`allow_platform_keys\`, after ` +
      "their [own keys](accounts.md#provider-keys). No other variable is ever taken for a key.",
    expects: "a key of visible ASCII characters",
    parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? Redacted.make(text) : undefined)
  })

/** The settings of a key that is used at one address alone, and of this address. */
const platformKeyAt = (name: string, provider: string, example: string) => ({
  value: platformKey(name, provider),
  baseUrl: settingOr("none", null, {
    variable: `PLATFORM_${name}_BASE_URL`,
    decides: `Where PLATFORM_${name}_API_KEY is for, like the \`base_url\` of a workspace's key; both are set or none.`,
    expects: `an http or https URL without query, such as ${example}`,
    parse: parseServiceUrl
  })
})

const BEDROCK_URL = "https://bedrock-runtime.eu-west-1.amazonaws.com"
const VERTEX_URL = "https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4"

const plain = {
  openai: platformKey("OPENAI", "OpenAI"),
  anthropic: platformKey("ANTHROPIC", "Anthropic"),
  google: platformKey("GOOGLE", "Google's Gemini")
}

const addressed = {
  azure: platformKeyAt("AZURE", "Azure OpenAI", "https://my-resource.openai.azure.com/openai/v1"),
  bedrock: platformKeyAt("BEDROCK", "Amazon Bedrock", BEDROCK_URL),
  vertex: platformKeyAt("VERTEX", "Vertex AI, the key file of a service account in base64", VERTEX_URL)
}

/** All of them, for the documentation. */
export const PLATFORM_KEY_SETTINGS = settingsIn({ plain, addressed })

/** A key, and the address that it is for; null for the usual address of its provider. */
interface Key {
  readonly value: Redacted.Redacted
  readonly baseUrl: string | null
}

/** The two settings of a key that is used at one address alone. */
interface SettingsAt {
  readonly value: Setting<Redacted.Redacted | null>
  readonly baseUrl: Setting<string | null>
}

/** The values of these two. */
interface ValuesAt {
  readonly value: Redacted.Redacted | null
  readonly baseUrl: string | null
}

/** The key with its address; null without both. Fails when only one is set, which is a mistake. */
const keyAt = (of: SettingsAt, { baseUrl, value }: ValuesAt): Effect.Effect<Key | null, SettingInvalid> => {
  if (value !== null && baseUrl !== null) return Effect.succeed({ value, baseUrl })
  if (value === null && baseUrl === null) return Effect.succeed(null)
  const [missing, given] = value === null ? [of.value, of.baseUrl] : [of.baseUrl, of.value]
  const detail = `is missing: ${given.variable} is set, and a key is used at its address alone`
  return Effect.fail(new SettingInvalid({ variable: missing.variable, detail }))
}

/** The keys that are set, by their providers. Fails with SettingInvalid, which names the variable. */
export const readPlatformKeys = Effect.gen(function* () {
  const values = yield* readAll({ plain, addressed })
  const found = Record.map(values.plain, (value): Key | null => value && { value, baseUrl: null })
  const at = yield* Effect.all(Record.map(addressed, (of, name) => keyAt(of, values.addressed[name])))
  return Record.filter({ ...found, ...at }, Predicate.isNotNull)
})
