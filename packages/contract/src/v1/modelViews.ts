/** The settings of models in answers: an agent's, and those that a run has in their place. */
import { Schema } from "effect"
import { JsonOut, nullableText, text } from "./formats.ts"
import { overridable, promptCache, providerOptions, SETTINGS, toolChoice } from "./modelSchemas.ts"
import { wire } from "./wire.ts"

/** A JSON schema that is given out, which is an object. It was parsed from text, so it is not checked again. */
const jsonSchemaOut = (description: string) => Schema.Record(Schema.String, JsonOut).annotate({ description })

const SHOWN = {
  ...SETTINGS,
  toolChoice: toolChoice("NamedTool"),
  outputSchema: jsonSchemaOut("The JSON schema of the result"),
  providerOptions: providerOptions(Schema.Record(Schema.String, JsonOut))
}

/** The members of an agent in answers that concern its model; null for what is left to the recipe. */
export const agentModelOut = {
  model: nullableText("The model that the recipe uses"),
  instructions: nullableText("The system instructions of the model, for the recipe chat"),
  tools: Schema.Array(Schema.String).annotate({
    description: "Tools that the recipe may use; for chat `ask_user` and `http_request`"
  }),
  temperature: Schema.NullOr(SHOWN.temperature),
  topP: Schema.NullOr(SHOWN.topP),
  maxOutputTokens: Schema.NullOr(SHOWN.maxOutputTokens),
  stop: Schema.NullOr(SHOWN.stop),
  seed: Schema.NullOr(SHOWN.seed),
  reasoningEffort: Schema.NullOr(SHOWN.reasoningEffort),
  toolChoice: Schema.NullOr(SHOWN.toolChoice),
  parallelToolCalls: Schema.NullOr(SHOWN.parallelToolCalls),
  outputSchema: Schema.NullOr(SHOWN.outputSchema),
  providerOptions: Schema.NullOr(SHOWN.providerOptions),
  promptCache,
  functionTools: Schema.Array(
    wire(
      {
        name: text("Its name"),
        description: text("What it does"),
        parameters: jsonSchemaOut("The JSON schema of its arguments")
      },
      { identifier: "FunctionTool", description: "A tool that the caller of a run answers" }
    )
  ).annotate({ description: "Tools that the caller of a run answers" }),
  approvals: Schema.Array(Schema.String).annotate({
    description: "Tools that somebody has to approve of before each call; `*` for all"
  }),
  overridable: Schema.Array(overridable).annotate({ description: "The settings that a run may have for itself" })
}

/** The settings that a run has in the place of its agent's. */
export const RunOverrides = wire(
  {
    model: Schema.optionalKey(text("The model")),
    instructions: Schema.optionalKey(text("The system instructions of the model")),
    tools: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Tools that the recipe may use" })),
    temperature: Schema.optionalKey(SHOWN.temperature),
    topP: Schema.optionalKey(SHOWN.topP),
    maxOutputTokens: Schema.optionalKey(SHOWN.maxOutputTokens),
    stop: Schema.optionalKey(SHOWN.stop),
    seed: Schema.optionalKey(SHOWN.seed),
    reasoningEffort: Schema.optionalKey(SHOWN.reasoningEffort),
    toolChoice: Schema.optionalKey(SHOWN.toolChoice),
    parallelToolCalls: Schema.optionalKey(SHOWN.parallelToolCalls),
    outputSchema: Schema.optionalKey(SHOWN.outputSchema),
    providerOptions: Schema.optionalKey(SHOWN.providerOptions),
    promptCache: Schema.optionalKey(SHOWN.promptCache)
  },
  { identifier: "RunOverrides", description: "Settings of a run in the place of its agent's" }
)
