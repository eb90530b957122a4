/** Where somebody who followed events goes on. */
import { EventId, parseId } from "@agent-platform/kernel"
import { FeedPosition } from "./ports/EventFeed.ts"

/** Behind the event that was seen last, or where it began if none was seen. */
export type FollowerPlace =
  | { readonly kind: "event"; readonly id: EventId }
  | { readonly kind: "beginning"; readonly position: FeedPosition }

/** Distinguishes a beginning from the id of an event. */
const BEGINNING = "at:"

/** A beginning as text, to come back to. */
export const writeBeginning = (position: FeedPosition): string => `${BEGINNING}${position}`

/** The place in a text, which need not be one that was given out; undefined where there is none. */
export const readFollowerPlace = (text: string): FollowerPlace | undefined => {
  if (text.startsWith(BEGINNING)) {
    return { kind: "beginning", position: FeedPosition.make(text.slice(BEGINNING.length)) }
  }
  const id = parseId(EventId, text)
  return id && { kind: "event", id }
}
