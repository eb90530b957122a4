/** The system text of a model's requests. */
import type { Agent } from "@agent-platform/runs"
import type { AgentTools } from "../tools/agentTools.ts"

/**
 * The agent's instructions, and which of its tools are missing: a model that does not know it would make their results up. Of a
 * server it has the name alone, since whatever the server says would have the weight of instructions here.
 */
export const systemText = (
  { instructions }: Pick<Agent, "instructions">,
  { missingServers }: Pick<AgentTools, "missingServers">
): string => {
  if (missingServers.length === 0) return instructions ?? ""
  const names = missingServers.map((name) => `'${name}'`).join(", ")
  const notice =
    `The tools of these servers are not available at the moment: ${names}. Where you would need them, say that they are not ` +
    "available, and do not guess their results."
  return [instructions ?? "", notice].filter((text) => text !== "").join("\n\n")
}
