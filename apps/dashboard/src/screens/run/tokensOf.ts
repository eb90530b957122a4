import type { LlmRequestLogEvent } from "@agent-platform/client"
import { count } from "../../ui/numbers.ts"

const tokens = (value: unknown): string => (typeof value === "number" ? count(value) : "–")

/** The tokens of a call of a model, in words. Of a call that failed there may be nothing to count, and nothing is said of that. */
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
