/** Schedules as they cross the wire. */
import { CRON_LENGTH_MAX, MissedTimes, ScheduleErrorCode } from "@agent-platform/runs"
import { Schema } from "effect"
import {
  bounded,
  count,
  flag,
  id,
  JsonOut,
  json,
  maybe,
  metadata,
  metadataOut,
  name,
  nullableId,
  nullableText,
  orElse,
  pageFields,
  text,
  time
} from "./formats.ts"
import { cursorParameter, limitParameter, parameters } from "./queries.ts"
import { MESSAGE_LENGTH_MAX, tags } from "./runSchemas.ts"
import { wire } from "./wire.ts"

/** The longest name of a zone, in characters. */
const TIMEZONE_LENGTH_MAX = 100

/** Most KiB of the input that a schedule gives its runs; its whole body has 64. */
const INPUT_KIBIBYTES_MAX = 64

const nameIn = name("Purpose of the schedule")

const cron = bounded("A cron expression", 1, CRON_LENGTH_MAX).annotate({
  description:
    "When runs are made, as five fields: minute, hour, day of the month, month, day of the week (0 or 7 is Sunday). Fields take `*`, " +
    "lists, ranges, steps, and names such as `mon` and `jan`. Where both days are named a date that is either of them is meant",
  examples: ["0 9 * * 1-5", "*/15 * * * *"]
})

const timezone = bounded(
  "A time zone of the IANA database, on whose clock the expression is read",
  1,
  TIMEZONE_LENGTH_MAX
)

const message = bounded("The message to the agent", 0, MESSAGE_LENGTH_MAX)

const input = json(
  "The agent's input: any JSON, nested up to 100 levels deep. Where the agent has an `input_schema` it must fit that",
  INPUT_KIBIBYTES_MAX
)

const missed = MissedTimes.annotate({
  description:
    "What becomes of times for which a run could not be made within five minutes: `skip` makes none, `once` makes one for all of " +
    "them, once it can"
})

const enabled = flag("Whether it makes runs. Times while it does not are not made up for")

/** The body that creates a schedule. */
export const NewSchedule = wire(
  {
    agentId: id("The agent that runs"),
    name: maybe(nameIn),
    cron,
    timezone: orElse(timezone.annotate({ default: "UTC" }), "UTC"),
    message: maybe(message),
    input: Schema.optionalKey(input),
    metadata: Schema.optionalKey(metadata),
    tags: Schema.optionalKey(tags),
    missed: orElse(missed.annotate({ default: "skip" }), "skip"),
    enabled: orElse(enabled.annotate({ default: true }), true)
  },
  {
    identifier: "NewSchedule",
    description: "A schedule to create. Message, input, metadata and tags are those of its runs",
    examples: [
      {
        agent_id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77",
        name: "Morning report",
        cron: "0 9 * * 1-5",
        timezone: "Europe/Berlin",
        message: "What is new?"
      }
    ]
  }
)

/** The body that changes a schedule. */
export const ScheduleChange = wire(
  {
    agentId: Schema.optionalKey(id("The agent that runs")),
    name: maybe(nameIn),
    cron: Schema.optionalKey(cron),
    timezone: Schema.optionalKey(timezone),
    message: maybe(message),
    input: Schema.optionalKey(input),
    metadata: Schema.optionalKey(metadata),
    tags: Schema.optionalKey(tags),
    missed: Schema.optionalKey(missed),
    enabled: Schema.optionalKey(enabled)
  },
  {
    identifier: "ScheduleChange",
    description: "Changes of a schedule; absent members stay as they are, and null empties what can be null",
    examples: [{ enabled: false }, { cron: "0 8 * * *", timezone: "America/New_York" }]
  }
)

/** A schedule as it is shown. */
export const ScheduleView = wire(
  {
    id: id("The schedule's id"),
    agentId: id("The agent that runs"),
    name: nullableText("Purpose of the schedule"),
    cron: text("The cron expression"),
    timezone: text("The time zone on whose clock it is read"),
    message: nullableText("The message to the agent"),
    input: JsonOut.annotate({ description: "The agent's input" }),
    metadata: metadataOut,
    tags: Schema.Array(Schema.String).annotate({ description: "Tags of its runs" }),
    missed,
    enabled,
    nextRunAt: Schema.NullOr(time("When the next run is due; null while it is not enabled")),
    lastRunId: nullableId("The last run that it made. It may be erased since"),
    lastRunAt: Schema.NullOr(time("When that run was due")),
    lastError: Schema.NullOr(
      wire(
        {
          code: ScheduleErrorCode.annotate({
            description:
              "Why, for programs. `missed`: nobody came to it in time, and `missed` is `skip`. `agent_archived`, `workspace_closed`, " +
              "`timetable_unknown`: it was switched off. `cap_reached`, `queue_full`: the workspace's limits at that time. " +
              "`invalid_input`, `agent_error`: what its agent has become since"
          }),
          detail: text("Why, for people"),
          dueAt: time("The time that made no run")
        },
        { identifier: "ScheduleError", description: "A time of a schedule that made no run" }
      )
    ).annotate({ description: "Why the last time that was due made no run; null where it did, or none was" }),
    version: count("Counts the changes of the schedule, from 1. For `If-Match`"),
    createdAt: time("When the schedule was created"),
    updatedAt: time("When it was last changed")
  },
  { identifier: "Schedule", description: "Runs of an agent by the clock" }
)

/** A page of schedules. */
export const SchedulePage = wire(pageFields(ScheduleView), {
  identifier: "SchedulePage",
  description: "Schedules, newest first"
})

/** A schedule that is gone. */
export const DeletedSchedule = wire(
  { id: id("The schedule's id"), status: Schema.Literal("deleted") },
  { identifier: "DeletedSchedule", description: "A schedule that was deleted; its runs stay" }
)

const agentDescription = "Only schedules of this agent; an unknown one has none"

/** The filter and the page of a list of schedules. */
export const scheduleParameters = parameters({
  agent_id: {
    schema: Schema.optionalKey(text(agentDescription)),
    doc: { description: agentDescription, schema: { type: "string", format: "uuid" } }
  },
  limit: limitParameter,
  cursor: cursorParameter
})
