/** Which models reason, and how they are told to, as far as their names say it. */
import type { ModelSettings } from "@agent-platform/runs"
import { dialectOf, type ModelName } from "./ModelName.ts"

/** Whether the settings ask for reasoning. */
export const reasons = ({ reasoningEffort = "none" }: ModelSettings): boolean => reasoningEffort !== "none"

/** Models at Amazon Bedrock that can be told how much to reason. Others reason by themselves, or not at all. */
export type BedrockReasoner = "claude" | "nova" | "gpt_oss"

const BEDROCK_REASONERS: ReadonlyArray<readonly [RegExp, BedrockReasoner]> = [
  [/\banthropic\.claude-(?:3-7|sonnet|opus|haiku|fable)-/, "claude"],
  [/\bamazon\.nova-2-/, "nova"],
  [/\bopenai\.gpt-oss-/, "gpt_oss"]
]

/** Which of them a model is; undefined for one that cannot be told, or whose name does not say what it is. */
export const bedrockReasoner = (model: string): BedrockReasoner | undefined =>
  BEDROCK_REASONERS.find(([pattern]) => pattern.test(model))?.[1]

const isClaude = (name: ModelName): boolean =>
  dialectOf(name) === "anthropic" || (name.provider === "bedrock" && bedrockReasoner(name.model) === "claude")

/** Whether a budget for reasoning is a part of the tokens that are asked for, which has to leave room for an answer. */
export const thinksWithin = (name: ModelName, settings: ModelSettings): boolean => reasons(settings) && isClaude(name)
