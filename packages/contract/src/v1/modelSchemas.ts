/** The settings of models as they cross the wire: an agent's, and those that a run has in their place. */
import { type MODEL_SETTINGS, OVERRIDABLE, type Overridable, REASONING_EFFORTS } from "@agent-platform/runs"
import { Schema, SchemaTransformation, String as Text } from "effect"
import { bounded, documentedAs, flag, integer, JsonIn, kibibytes, maybe } from "./formats.ts"
import { snakeCase, wire } from "./wire.ts"

/** Most tools of an agent that are named, and most that its callers answer. */
export const TOOLS_MAX = 64

/** The longest instructions of an agent, in characters. */
export const INSTRUCTIONS_LENGTH_MAX = 100_000

/** The longest name of a model with its provider, in characters. */
const MODEL_LENGTH_MAX = 200

/** Most tokens that one answer can be asked for. */
export const OUTPUT_TOKENS_MAX = 128_000

/** Most texts at which an answer ends, and the longest of them, in characters. */
export const STOPS_MAX = 4
export const STOP_LENGTH_MAX = 64

/** The largest seed, which every provider takes. */
const SEED_MAX = 2 ** 31 - 1

/** Most KiB of JSON of a schema that an agent has. */
const SCHEMA_KIBIBYTES_MAX = 64

/** Most members that a schema has itself; those of the schemas in it are bounded by its size. */
const SCHEMA_MEMBERS_MAX = 100

/** Most KiB of JSON of options for providers, most providers that have some, and most options of each. */
const PROVIDER_OPTIONS_KIBIBYTES_MAX = 16
const PROVIDER_OPTIONS_MAX = 20
const OPTIONS_MAX = 100

/** Most KiB of JSON of all tools together that the caller answers. */
const FUNCTION_TOOLS_KIBIBYTES_MAX = 128

/** The longest description of such a tool, in characters. */
const TOOL_DESCRIPTION_LENGTH_MAX = 2_000

/** A number with decimals within bounds. */
const number = (description: string, minimum: number, maximum: number) =>
  Schema.Finite.annotate({ description }).check(
    Schema.isBetween({ minimum, maximum }, { message: `must be a number from ${minimum} to ${maximum}` })
  )

/** A JSON schema that is taken in. */
export const jsonSchema = (description: string) =>
  Schema.Record(Schema.String, JsonIn)
    .annotate({ description })
    .check(
      Schema.isMaxProperties(SCHEMA_MEMBERS_MAX, { message: `must have at most ${SCHEMA_MEMBERS_MAX} members` }),
      kibibytes(SCHEMA_KIBIBYTES_MAX)
    )

const toolName = Schema.String.annotate({ description: "The name of a tool" }).check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/u, { message: "must have 1 to 64 letters, digits, _ and -" })
)

/** The choice among tools; the component for a named one has the identifier. */
export const toolChoice = (identifier: string) =>
  Schema.Union([
    Schema.Literals(["auto", "none", "required"]),
    wire({ name: toolName }, { identifier, description: "A tool by its name" })
  ]).annotate({
    description:
      "Whether the model calls for tools: as it likes, not at all, for at least one, or for the named one. `required` and a name " +
      "hold for its first answer of a run, after which it goes on as it likes"
  })

/** Whether providers' caches are used. */
export const promptCache = Schema.Literals(["auto", "off"]).annotate({
  description: "Whether the provider is asked to remember what it is sent again, such as instructions, which costs less"
})

/** Options by their provider, whose own have this schema. */
export const providerOptions = <Options extends Schema.Top>(options: Options) =>
  Schema.Record(Schema.String, options).annotate({
    description:
      'Options that only one provider has, by the provider: `{"openai": {"verbosity": "low"}}`. docs/agents.md lists them'
  })

/** Each setting of a model, with its bounds. */
export const SETTINGS = {
  temperature: number("How much chance there is in answers; not every model takes it", 0, 2),
  topP: number("Words are chosen among those that make up this share of probability", 0, 1),
  maxOutputTokens: integer("Most tokens of one answer, reasoning included", 1, OUTPUT_TOKENS_MAX),
  stop: Schema.Array(bounded("A text at which an answer ends", 1, STOP_LENGTH_MAX))
    .annotate({ description: "Texts at which an answer ends, without them" })
    .check(
      Schema.isBetweenLength(1, STOPS_MAX, {
        message: `must have 1 to ${STOPS_MAX} texts`,
        toJsonSchema: documentedAs({ minItems: 1, maxItems: STOPS_MAX })
      })
    ),
  seed: integer("Makes answers to the same request alike, as far as the provider can", 0, SEED_MAX),
  reasoningEffort: Schema.Literals(REASONING_EFFORTS).annotate({
    description:
      "How much the model reasons before it answers. A level that a provider does not have becomes its nearest"
  }),
  toolChoice: toolChoice("NewNamedTool"),
  parallelToolCalls: flag("Whether one answer may call for several tools"),
  outputSchema: jsonSchema(
    "The JSON schema of the result, an object of up to 64 KiB: a run's `result` is a value of this form, or the run fails"
  ),
  providerOptions: providerOptions(
    Schema.Record(Schema.String, JsonIn).check(
      Schema.isMaxProperties(OPTIONS_MAX, { message: `must have at most ${OPTIONS_MAX} options` })
    )
  ).check(
    Schema.isMaxProperties(PROVIDER_OPTIONS_MAX, { message: `must have at most ${PROVIDER_OPTIONS_MAX} providers` }),
    kibibytes(PROVIDER_OPTIONS_KIBIBYTES_MAX)
  ),
  promptCache
} satisfies Record<(typeof MODEL_SETTINGS)[number], unknown>

const model = bounded(
  "The model that the recipe uses; for the recipe chat `provider/model`, and required there",
  1,
  MODEL_LENGTH_MAX
)
const instructions = bounded("The system instructions of the model, for the recipe chat", 0, INSTRUCTIONS_LENGTH_MAX)
const tools = Schema.Array(bounded("The name of a tool that the recipe knows", 1, 64))
  .annotate({ description: "Tools that the recipe may use; for chat `ask_user` and `http_request`" })
  .check(Schema.isMaxLength(TOOLS_MAX, { message: `must name at most ${TOOLS_MAX} tools` }))

/** The members of a body that say how a model is asked. */
const settingsIn = {
  temperature: maybe(SETTINGS.temperature),
  topP: maybe(SETTINGS.topP),
  maxOutputTokens: maybe(SETTINGS.maxOutputTokens),
  stop: maybe(SETTINGS.stop),
  seed: maybe(SETTINGS.seed),
  reasoningEffort: maybe(SETTINGS.reasoningEffort),
  toolChoice: maybe(SETTINGS.toolChoice),
  parallelToolCalls: maybe(SETTINGS.parallelToolCalls),
  outputSchema: maybe(SETTINGS.outputSchema),
  providerOptions: maybe(SETTINGS.providerOptions),
  promptCache: maybe(SETTINGS.promptCache)
}

/** The members by which a run has settings in the place of its agent's. */
export const overridesIn = {
  model: maybe(model),
  instructions: maybe(instructions),
  tools: maybe(tools),
  ...settingsIn
}

const distinctNames = (named: ReadonlyArray<{ readonly name: string }>) =>
  new Set(named.map(({ name }) => name)).size === named.length

const isOverridable = Schema.is(Schema.Literals(OVERRIDABLE))

/** A setting by the name of its member. */
export const overridable = Schema.Literals(OVERRIDABLE.map(snakeCase))
  .annotate({ description: "The name of a setting" })
  .pipe(
    Schema.decodeTo(
      Schema.Literals(OVERRIDABLE),
      SchemaTransformation.transform({
        decode: (name): Overridable => {
          const found = Text.snakeToCamel(name)
          // Every name is one of them by then; "model" is there for the type alone.
          return isOverridable(found) ? found : "model"
        },
        encode: snakeCase
      })
    )
  )

/** The members of a body about an agent that concern its model. */
export const agentModelIn = {
  model: maybe(model),
  instructions: maybe(instructions),
  tools: Schema.optionalKey(tools),
  ...settingsIn,
  functionTools: Schema.optionalKey(
    Schema.Array(
      wire(
        {
          name: toolName,
          description: bounded("What it does and when to use it, for the model", 0, TOOL_DESCRIPTION_LENGTH_MAX),
          parameters: jsonSchema(
            'The JSON schema of its arguments, which are an object: `{"type": "object", …}`. Calls that do not fit it are given back to the model'
          )
        },
        {
          identifier: "NewFunctionTool",
          description: "A tool that the caller of a run answers",
          examples: [
            {
              name: "find_order",
              description: "Finds an order by its number",
              parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] }
            }
          ]
        }
      )
    )
      .annotate({ description: "Tools that the caller of a run answers, for the recipe chat" })
      .check(
        Schema.isMaxLength(TOOLS_MAX, { message: `must have at most ${TOOLS_MAX} tools` }),
        Schema.makeFilter(distinctNames, { message: "must not name two tools the same" }),
        kibibytes(FUNCTION_TOOLS_KIBIBYTES_MAX)
      )
  ),
  approvals: Schema.optionalKey(
    Schema.Array(bounded("The name of a tool, or `*`", 1, 64))
      .annotate({
        description:
          "Tools that somebody has to approve of before each call, by the names that the model has for them; `*` for all"
      })
      .check(Schema.isMaxLength(TOOLS_MAX, { message: `must name at most ${TOOLS_MAX} tools` }))
  ),
  overridable: Schema.optionalKey(
    Schema.Array(overridable)
      .annotate({
        description: "The settings that a run, or a reply, may have for itself by a member of the same name"
      })
      .check(
        Schema.isMaxLength(OVERRIDABLE.length, { message: `must name at most ${OVERRIDABLE.length} settings` }),
        Schema.makeFilter((names: ReadonlyArray<string>) => new Set(names).size === names.length, {
          message: "must not name a setting twice",
          toJsonSchema: documentedAs({ uniqueItems: true })
        })
      )
  )
}
