/** Holds calls of the caller's tools to the schemas that the caller gave for them: servers of tools check their own. */
import { schemaMismatchOf } from "@agent-platform/runs"
import { Effect } from "effect"
import type { AgentTools } from "../tools/agentTools.ts"
import { type Conversation, openCalls } from "./Conversation.ts"

/** How the arguments of calls differ from their tools' schemas, by the ids that callers see; those that fit are not in it. */
export type Misfits = ReadonlyMap<string, string>

/**
 * Makes a check of the open calls of a conversation, which checks each input once in a turn. One can take 40 ms, so other fibers of the
 * process get their turn before each.
 */
export const makeMisfits = ({ functions }: AgentTools) => {
  const checked = new Map<string, { readonly input: unknown; readonly misfit: string | undefined }>()
  return Effect.fnUntraced(function* (conversation: Conversation) {
    const misfits = new Map<string, string>()
    for (const { input, shownId, toolName } of openCalls(conversation)) {
      const schema = functions.get(toolName)?.parameters
      if (schema === undefined || conversation.replies[shownId]?._tag === "Result") continue
      let one = checked.get(shownId)
      if (one?.input !== input) {
        yield* Effect.yieldNow
        one = { input, misfit: schemaMismatchOf(schema, input) }
        checked.set(shownId, one)
      }
      if (one.misfit !== undefined) misfits.set(shownId, one.misfit)
    }
    return misfits
  })
}
