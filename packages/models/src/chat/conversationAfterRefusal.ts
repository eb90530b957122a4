/** The conversation that a model is asked with once its provider has refused the messages that it was sent. */
import type { Turn } from "@agent-platform/runs"
import { Effect } from "effect"
import type { MessagesRefused } from "./ChatFailed.ts"
import type { Conversation } from "./Conversation.ts"
import { hasAddresses, type ShownContent, withContent } from "./content.ts"
import { logOfProvider } from "./logOfProvider.ts"
import type { ModelName } from "./ModelName.ts"
import { messagesFor, withoutAnyReasoning } from "./past.ts"
import { halved } from "./shorten.ts"
import type { Unfit } from "./unfit.ts"

/** The turn, and the model that was asked. */
interface Asked {
  readonly turn: Turn
  readonly name: ModelName
}

/** The messages that were refused, as the conversation and its content. */
interface Refused {
  readonly conversation: Conversation
  readonly contents: ShownContent
}

/** The conversation with which the platform reads every address itself. One that it cannot read either leaves a note. */
const withContentRead = ({ contents, conversation }: Refused): Conversation | undefined =>
  conversation.readsContent !== true && hasAddresses(withContent(messagesFor(conversation, true), contents))
    ? { ...conversation, readsContent: true }
    : undefined

/** The conversation to try instead, by why the messages were refused. */
const REMEDIES: Readonly<Record<Unfit, (refused: Refused) => Conversation | undefined>> = {
  context_full: ({ contents, conversation }) => halved(conversation, contents),
  reasoning_unreadable: ({ conversation }) => withoutAnyReasoning(conversation),
  content_unreadable: withContentRead
}

const REMEDY_WORDS: Readonly<Record<Unfit, string>> = {
  context_full: "with a shorter conversation",
  reasoning_unreadable: "without its earlier reasoning",
  content_unreadable: "with what was sent read by the platform"
}

/**
 * The conversation to ask with once more. Fails as the request did where there is no other one, or where the same remedy was tried since
 * the model's last answer already.
 */
export const conversationAfterRefusal = Effect.fnUntraced(function* (
  { name: { provider }, turn }: Asked,
  refused: Refused,
  { failed, unfit }: MessagesRefused,
  tried: Set<Unfit>
) {
  const other = tried.has(unfit) ? undefined : REMEDIES[unfit](refused)
  if (other === undefined) return yield* failed
  tried.add(unfit)
  yield* logOfProvider(turn, provider, `The model is asked again ${REMEDY_WORDS[unfit]}: ${failed.error}`)
  return other
})
