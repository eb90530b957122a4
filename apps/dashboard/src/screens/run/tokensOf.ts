import type { LlmRequestLogEvent } from "@agent-platform/client"
import { count } from "../../ui/numbers.ts"

const tokens = (value: unknown): string => (typeof value === "number" ? count(value) : "–")

/** The tokens of a call of a model, in words. Counts that a failed call does not have are left out. */
export const tokensOf = ({
  input_tokens,
  output_tokens,
  status
}: Pick<LlmRequestLogEvent["data"], "input_tokens" | "output_tokens" | "status">): ReadonlyArray<string> => {
  const counts = [
    [input_tokens, "in"],
    [output_tokens, "out"]
  ] as const
  return counts.flatMap(([value, way]) =>
    status === "ok" || typeof value === "number" ? [`${tokens(value)} tokens ${way}`] : []
  )
}
