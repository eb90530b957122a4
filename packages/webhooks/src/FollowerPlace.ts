/** The place from which a follower of events goes on. */
import { EventId, parseId } from "@agent-platform/kernel"
import { FeedPosition } from "./ports/EventFeed.ts"

/** The place behind the last event that the follower has seen, or where it began to follow if it has seen none. */
export type FollowerPlace =
  | { readonly kind: "event"; readonly id: EventId }
  | { readonly kind: "beginning"; readonly position: FeedPosition }

/** Distinguishes a beginning from the id of an event. */
const BEGINNING = "at:"

/** The text of a beginning. A follower that has seen no event comes back with it. */
export const writeBeginning = (position: FeedPosition): string => `${BEGINNING}${position}`

/** Reads a place out of a follower's text, which anybody can have made up; undefined if it is no place. */
export const readFollowerPlace = (text: string): FollowerPlace | undefined => {
  if (text.startsWith(BEGINNING)) {
    return { kind: "beginning", position: FeedPosition.make(text.slice(BEGINNING.length)) }
  }
  const id = parseId(EventId, text)
  return id && { kind: "event", id }
}
