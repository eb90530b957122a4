/** How a model is asked, for recipes that ask one. */
import type { Schema } from "effect"

/** How much a model may reason before it answers, from not at all to as much as it can. */
export const REASONING_EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number]

/** Whether a model may call for tools: as it likes, not at all, for at least one, or for the named one. */
export type ToolChoice = "auto" | "none" | "required" | { readonly name: string }

/** The settings of a model, as far as an agent or a run has some; for the others a recipe has defaults. It is JSON. */
export interface ModelSettings {
  readonly temperature?: number
  readonly topP?: number
  /** Most tokens of one answer, reasoning included. */
  readonly maxOutputTokens?: number
  /** Texts at which an answer ends. */
  readonly stop?: ReadonlyArray<string>
  readonly seed?: number
  readonly reasoningEffort?: ReasoningEffort
  readonly toolChoice?: ToolChoice
  /** Whether one answer may call for several tools. */
  readonly parallelToolCalls?: boolean
  /** The JSON schema of a run's result. */
  readonly outputSchema?: Schema.JsonObject
  /** Options that only one provider has, by the provider. */
  readonly providerOptions?: Readonly<Record<string, Schema.JsonObject>>
  /** Whether the provider is asked to remember what it is sent again. */
  readonly promptCache?: "auto" | "off"
}

/** The names of all model settings. */
export const MODEL_SETTINGS = [
  "temperature",
  "topP",
  "maxOutputTokens",
  "stop",
  "seed",
  "reasoningEffort",
  "toolChoice",
  "parallelToolCalls",
  "outputSchema",
  "providerOptions",
  "promptCache"
] as const satisfies ReadonlyArray<keyof ModelSettings>

/** A change of members: null removes one, undefined leaves it as it is. */
export type Given<Members> = { readonly [Name in keyof Members]?: Members[Name] | null | undefined }

/** The members after a change. */
export const withGiven = <Members extends object>(before: Members, given: Given<Members>): Members => {
  const stated = Object.entries(given).filter(([, value]) => value !== undefined)
  const after = Object.entries({ ...before, ...Object.fromEntries(stated) }).filter(([, value]) => value !== null)
  return Object.fromEntries(after) as Members
}

/** A tool that the caller of a run answers. */
export interface FunctionTool {
  /** Up to 64 letters, digits, `_` and `-`, which every provider takes. */
  readonly name: string
  readonly description: string
  /** The JSON schema of its arguments, an object. */
  readonly parameters: Schema.JsonObject
}

/** The settings that an agent can let its runs have for themselves. It is JSON. */
export interface RunOverrides extends ModelSettings {
  readonly model?: string
  readonly instructions?: string
  readonly tools?: ReadonlyArray<string>
}

/** The names of all settings that a run can override. */
export const OVERRIDABLE = ["model", "instructions", "tools", ...MODEL_SETTINGS] as const satisfies ReadonlyArray<
  keyof RunOverrides
>
export type Overridable = (typeof OVERRIDABLE)[number]
