/** Notifications and activity as they cross the wire. Spec: Notification item; Activity entry. */
import { ACTOR_TYPES, MARK_READ_MAX } from "@agent-platform/feeds"
import { NotificationType } from "@agent-platform/kernel"
import { Schema } from "effect"
import { bounded, count, flag, id, JsonOut, nullableText, text, textStream, time } from "./formats.ts"
import { cursorParameter, limitParameter, parameters } from "./queries.ts"
import { moment } from "./runList.ts"
import { wire } from "./wire.ts"

/** The longest name of a kind of resource that can be asked for, in characters. */
export const RESOURCE_TYPE_LENGTH_MAX = 100

/** The longest id of a resource that a filter takes, in characters. */
const RESOURCE_ID_LENGTH_MAX = 100

const payload = Schema.Record(Schema.String, JsonOut)

/** One notice. Spec: Notification item. */
export const NotificationView = wire(
  {
    id: id("The notice's id"),
    type: Schema.String.annotate({
      description: `The subject: ${NotificationType.literals.map((type) => `\`${type}\``).join(", ")}`,
      examples: ["run.failed"]
    }),
    title: text("One line for a person"),
    body: text("The notice's text"),
    payload: payload.annotate({ description: "The ids of what it is about, by its type" }),
    read: flag("Whether it is marked as read in this workspace"),
    createdAt: time("When it was posted")
  },
  { identifier: "Notification", description: "Something that a person should know" }
)

/** The feed of a workspace. Spec: Notifications. */
export const NotificationList = wire(
  {
    items: Schema.Array(NotificationView).annotate({
      description: "The 50 most recent of those asked for, newest first"
    }),
    unreadCount: count("How many notices are unread, of all that are kept; exact")
  },
  { identifier: "NotificationList", description: "The notices of a workspace" }
)

/** Which notices are shown. */
export const notificationParameters = parameters({
  type: {
    schema: Schema.optionalKey(NotificationType),
    doc: { description: "Only notices of this type", schema: { type: "string", enum: NotificationType.literals } }
  },
  read: {
    schema: Schema.optionalKey(Schema.Literals(["true", "false"])),
    doc: { description: "Only notices that are read, or only those that are not", schema: { type: "boolean" } }
  },
  since: moment("Only notices of this time or later")
})

/** The body that marks notices as read. */
export const NewReadMark = wire(
  {
    ids: Schema.optionalKey(
      Schema.Array(bounded("A notice's id", 0, 100))
        .annotate({
          description: "These notices. Ids that the workspace does not see change nothing, nor do those that are read"
        })
        .check(Schema.isBetweenLength(1, MARK_READ_MAX, { message: `must have 1 to ${MARK_READ_MAX} ids` }))
    ),
    all: Schema.optionalKey(
      Schema.Literal(true).annotate({ description: "All notices. Notices posted meanwhile stay unread" })
    )
  },
  {
    identifier: "NewReadMark",
    description: "Which notices to mark as read: `ids` or `all`",
    examples: [{ ids: ["01a1fd51-2764-7218-9ac0-9d6895cfd59e"] }, { all: true }],
    check: ({ all, ids }) =>
      (all === undefined) === (ids === undefined)
        ? { path: ["ids"], issue: "must be given, or `all`, but not both" }
        : undefined
  }
)

/** The count of unread notices after some were marked. */
export const UnreadCount = wire(
  { unreadCount: count("How many notices are unread now") },
  { identifier: "UnreadCount", description: "The number of unread notices" }
)

/** The event stream of a workspace's notices. */
export const NotificationStream = textStream()

/** One entry of the activity feed. Spec: Activity entry. */
export const ActivityView = wire(
  {
    id: id("The entry's id"),
    action: Schema.String.annotate({
      format: "action",
      description: "The action: `<resource>.<verb in the past>`",
      examples: ["api_key.created"]
    }),
    actorType: Schema.Literals(["user", "agent", "system"]).annotate({
      description:
        "user: a person, or an API key. agent: an agent by itself. system: workers, jobs, inbound webhooks and operators"
    }),
    actorLabel: text("The person, the name of the key, the agent, or the part of the platform"),
    summary: text("One sentence for a person"),
    resourceType: Schema.String.annotate({ description: "The kind of resource it was done to", examples: ["run"] }),
    resourceId: text("The id of that resource"),
    payload: payload.annotate({ description: "More about it, by the action; never a secret" }),
    createdAt: time("When it was done")
  },
  { identifier: "ActivityEntry", description: "A recorded action" }
)

/** A page of activity. Spec: Activity. */
export const ActivityPage = wire(
  {
    items: Schema.Array(ActivityView).annotate({ description: "Newest first" }),
    nextCursor: nullableText("For older entries; null when there are none"),
    includesAdminEntries: flag(
      "Whether entries of the organization itself are among them: for organization keys, and for sessions of owners and admins"
    )
  },
  { identifier: "ActivityPage", description: "Activity, newest first" }
)

/** The filters and the page of a list of activity. Spec: Activity 1 and 2. */
export const activityParameters = parameters({
  resource_type: {
    schema: Schema.optionalKey(bounded("A kind of resource", 1, RESOURCE_TYPE_LENGTH_MAX)),
    doc: {
      description:
        "Only entries about this kind of resource: `agent`, `api_key`, `byok_key`, `login`, `login_session`, `member`, " +
        "`organization`, `price`, `run`, `schedule`, `session`, `template`, `tool_secret`, `usage`, `webhook_endpoint`, `workspace`. Another kind has none",
      schema: { type: "string", minLength: 1, maxLength: RESOURCE_TYPE_LENGTH_MAX }
    }
  },
  resource_id: {
    schema: Schema.optionalKey(bounded("The id of a resource", 1, RESOURCE_ID_LENGTH_MAX)),
    doc: {
      description: "Only entries about the resource with this id",
      schema: { type: "string", minLength: 1, maxLength: RESOURCE_ID_LENGTH_MAX }
    }
  },
  actor_type: {
    schema: Schema.optionalKey(Schema.Literals(["user", "agent", "system"])),
    doc: { description: "Only actions of such an actor", schema: { type: "string", enum: ACTOR_TYPES } }
  },
  since: {
    schema: Schema.optionalKey(time("Only entries of this time or later")),
    doc: { description: "Only entries of this time or later", schema: { type: "string", format: "date-time" } }
  },
  limit: limitParameter,
  cursor: cursorParameter
})
