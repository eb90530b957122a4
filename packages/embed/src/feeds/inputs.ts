/** Checks of those inputs that the domain takes from its callers without a check. */
import { ACTOR_TYPES, MARK_READ_MAX, readPosition } from "@agent-platform/feeds"
import { NotificationId, parseId } from "@agent-platform/kernel"
import { EVENT_TYPE_PATTERN } from "@agent-platform/postgres"
import { invalid, readDate, readPage, readText } from "../internal/inputs.ts"
import { jsonObjectOf } from "../internal/json.ts"
import type { ActivityPage, Actor, PostedNotification, RecordedActivity } from "./EmbeddedFeeds.ts"

const DATA_BYTES_MAX = 16_384
const TITLE_LENGTH_MAX = 200
const TEXT_LENGTH_MAX = 2_000
const NAME_LENGTH_MAX = 256

const NAME = new RegExp(EVENT_TYPE_PATTERN)

const readWord = (what: string, value: string): string => {
  if (typeof value === "string" && NAME.test(value)) return value
  throw invalid(`${what} is 1 to 128 letters, digits, _, ., : and -, and begins with a letter or a digit`)
}

const readData = (data: object) => {
  const json = jsonObjectOf(data, DATA_BYTES_MAX)
  if ("value" in json) return json.value
  throw invalid(`data is a JSON object: ${json.why}`)
}

const readActorType = (type: Actor["type"]): Actor["type"] => {
  if (ACTOR_TYPES.includes(type)) return type
  throw invalid(`The type of an actor is ${ACTOR_TYPES.join(", ")}`)
}

export const readNotification = ({ body = "", data = {}, title, type }: PostedNotification) => ({
  type: readWord("type", type),
  title: readText("title", title, 1, TITLE_LENGTH_MAX),
  body: readText("body", body, 0, TEXT_LENGTH_MAX),
  payload: readData(data)
})

export const readActivity = ({ action, actor, data = {}, resource, summary }: RecordedActivity) => ({
  action: readWord("action", action),
  actor: {
    type: readActorType(actor?.type),
    id: readText("The id of an actor", actor.id, 1, NAME_LENGTH_MAX),
    label: readText("The label of an actor", actor.label, 1, NAME_LENGTH_MAX)
  },
  summary: readText("summary", summary, 1, TEXT_LENGTH_MAX),
  resourceType: readWord("The type of a resource", resource?.type),
  resourceId: readText("The id of a resource", resource.id, 1, NAME_LENGTH_MAX),
  payload: readData(data)
})

export const readMarked = (which: ReadonlyArray<string> | "all"): ReadonlyArray<NotificationId> | "all" => {
  if (which === "all") return which
  if (!Array.isArray(which) || which.length > MARK_READ_MAX) {
    throw invalid(`What is marked is "all", or a list of at most ${MARK_READ_MAX} ids`)
  }
  return which.flatMap((id) => parseId(NotificationId, id) ?? [])
}

export const readActivityPage = ({ actorType, after, limit, resourceId, resourceType, since }: ActivityPage) => {
  return {
    filter: {
      resourceType: resourceType === undefined ? undefined : readWord("resourceType", resourceType),
      resourceId: resourceId === undefined ? undefined : readText("resourceId", resourceId, 1, NAME_LENGTH_MAX),
      actorType: actorType === undefined ? undefined : readActorType(actorType),
      since: since === undefined ? undefined : readDate("since", since)
    },
    page: readPage({ after, limit }, (text) => readPosition(text) !== undefined)
  }
}
