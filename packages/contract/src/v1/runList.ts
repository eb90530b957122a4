/** The list of runs as it crosses the wire. Spec: Run list. */
import { RunStatus } from "@agent-platform/runs"
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
export const RunPage = wire(pageFields(RunView), { identifier: "RunPage", description: "Runs, newest first" })
