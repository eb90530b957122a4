/** How long the answers of an agent have been of late, as this process saw them. A hint: losing it costs nothing. */
import type { ModelCall } from "@agent-platform/runs"

/** Most agents that are remembered; those that were asked longest ago are forgotten first. */
const AGENTS_MAX = 10_000

/** The share of the longest answer that still counts after each one that follows. */
const KEPT_SHARE = 0.9

type Asked = Pick<ModelCall, "run" | "provider" | "requestModel">

/** The recent answers of agents by model. */
export interface RecentOutputs {
  /** Notes the output tokens of an answer. */
  readonly add: (call: Asked, outputTokens: number) => void
  /** Output tokens with which most answers like this one were whole; undefined where none was seen. */
  readonly usual: (call: Asked) => number | undefined
}

const keyOf = ({ provider, requestModel, run }: Asked): string => `${run.agentId}/${provider}/${requestModel}`

export const makeRecentOutputs = (): RecentOutputs => {
  const longest = new Map<string, number>()
  return {
    add: (call, outputTokens) => {
      const key = keyOf(call)
      const before = longest.get(key) ?? 0
      longest.delete(key)
      longest.set(key, Math.max(outputTokens, Math.floor(before * KEPT_SHARE)))
      const [oldest] = longest.keys()
      if (longest.size > AGENTS_MAX && oldest !== undefined) longest.delete(oldest)
    },
    usual: (call) => longest.get(keyOf(call))
  }
}
