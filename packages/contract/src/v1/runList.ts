/** The list of runs as it crosses the wire. Spec: Run list. */
import { OPENING_LENGTH_MAX, RUNS_LOOKED_AT_MAX, RunStatus } from "@agent-platform/runs"
import { Schema } from "effect"
import { bounded, pageFields, text, textStream, time } from "./formats.ts"
import { cursorParameter, limitParameter, parameters } from "./queries.ts"
import { RunView, TAG_LENGTH_MAX } from "./runSchemas.ts"
import { wire } from "./wire.ts"

/** A status, or that a question waits for an answer. */
const ListedStatus = Schema.Literals([...RunStatus.literals, "paused"])

/** An id as a filter. */
export const identifier = (description: string) => ({
  schema: Schema.optionalKey(text("An id")),
  doc: { description, schema: { type: "string", format: "uuid" } }
})

/** The longest text that is searched for, in characters. */
const SEARCH_LENGTH_MAX = 100

/** A text to search for, as a filter. */
export const search = (description: string) => ({
  schema: Schema.optionalKey(bounded("A search", 1, SEARCH_LENGTH_MAX)),
  doc: { description, schema: { type: "string", minLength: 1, maxLength: SEARCH_LENGTH_MAX } }
})

/** A time as a filter. */
export const moment = (description: string) => ({
  schema: Schema.optionalKey(time(description)),
  doc: { description, schema: { type: "string", format: "date-time" } }
})

/** The filters and the page of a list of runs. */
export const runListParameters = parameters({
  status: {
    schema: Schema.optionalKey(ListedStatus),
    doc: {
      description: "Only runs in this status; `paused` for those that ended on a question which is still open",
      schema: { type: "string", enum: ListedStatus.literals }
    }
  },
  agent_id: identifier("Only runs of this agent; an unknown one has none"),
  session_id: identifier("Only runs of this session; an unknown one has none"),
  tag: {
    schema: Schema.optionalKey(bounded("A tag", 1, TAG_LENGTH_MAX)),
    doc: {
      description: "Only runs that carry this tag",
      schema: { type: "string", minLength: 1, maxLength: TAG_LENGTH_MAX }
    }
  },
  since: moment("Only runs that were triggered at this time or later"),
  until: moment("Only runs that were triggered before this time"),
  q: search(
    `Only runs with this text, in any case, in the first ${OPENING_LENGTH_MAX} characters of the message that they were triggered ` +
      "with, or whose id, or session's id, begins with it"
  ),
  limit: limitParameter,
  cursor: cursorParameter
})

/** Which runs a stream tells of. */
export const runStreamParameters = parameters({
  status: {
    schema: Schema.optionalKey(ListedStatus),
    doc: {
      description: "Only runs that have come to this status; `paused` for those whose question is open",
      schema: { type: "string", enum: ListedStatus.literals }
    }
  },
  agent_id: identifier("Only runs of this agent; an unknown one has none")
})

/** The runs of a workspace as they change: the data of each event is the run. */
export const RunStream = textStream()

/** A page of runs. */
export const RunPage = wire(pageFields(RunView), {
  identifier: "RunPage",
  description:
    `Runs, newest first. With \`q\` a page looks at ${RUNS_LOOKED_AT_MAX} runs at most: it may hold fewer than \`limit\`, or none, and ` +
    "`next_cursor` still leads on"
})
