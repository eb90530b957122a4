import { Effect, type Schema } from "effect"
import { AgentFlawed } from "../Agent.ts"
import { schemaFlawOf } from "../jsonSchema.ts"
import type { FunctionTool, Given, ModelSettings } from "../ModelSettings.ts"

/** The settings that are JSON schemas, or hold some. */
interface SchemaSettings {
  readonly inputSchema?: Schema.Json | undefined
  readonly modelSettings?: Given<Pick<ModelSettings, "outputSchema">> | undefined
  readonly functionTools?: ReadonlyArray<FunctionTool> | undefined
}

/** Fails with AgentFlawed unless values can be checked by each of the schemas; null and undefined ask for nothing. */
export const demandSchemas = Effect.fnUntraced(function* (settings: SchemaSettings) {
  const { functionTools = [], inputSchema, modelSettings } = settings
  const schemas: ReadonlyArray<readonly [path: ReadonlyArray<string | number>, schema: Schema.Json | undefined]> = [
    [["inputSchema"], inputSchema],
    [["outputSchema"], modelSettings?.outputSchema],
    ...functionTools.map(({ parameters }, index) => [["functionTools", index, "parameters"], parameters] as const)
  ]
  for (const [path, schema] of schemas) {
    const flaw = schema == null ? undefined : schemaFlawOf(schema)
    if (flaw !== undefined) return yield* new AgentFlawed({ path: [...path, ...flaw.path], detail: flaw.detail })
  }
})
