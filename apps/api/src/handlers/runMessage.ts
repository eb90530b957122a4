/** A run's log as a message of the AI SDK, in its UI message stream. docs/client.md, In a chat. */
import { MESSAGE_DONE, type MessageChunk, NotAcceptable } from "@agent-platform/contract"
import type { WorkspaceCaller } from "@agent-platform/kernel"
import { type RunEvent, type RunId, Runs } from "@agent-platform/runs"
import { Effect, Stream } from "effect"
import { preferred } from "../edge/accept.ts"
import { invalid } from "../edge/problems.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams, type StreamedEvent } from "../streams.ts"
import { callerViews } from "../views/callerViews.ts"
import { makeMessageChunks } from "../views/messageChunks.ts"
import type { LogCall } from "./runLog.ts"

const HEADERS = { "x-vercel-ai-ui-message-stream": "v1" }

/** A place in the stream: behind all chunks of the event `seq`, and behind the first `chunk` chunks of the event after that. */
interface Place {
  readonly seq: number
  readonly chunk: number
}

/** The place of the last chunk that a reconnecting client has seen; else that of `after`. */
const seenBefore = (call: LogCall): Effect.Effect<Place, ReturnType<typeof invalid>> => {
  const given = call.headers["last-event-id"]?.trim() ?? ""
  if (given === "") return Effect.succeed({ seq: call.query.after, chunk: 0 })
  const [, seq, chunk = "0"] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(given) ?? []
  return seq === undefined
    ? Effect.fail(invalid("Last-Event-ID", "must be an id of this stream"))
    : Effect.succeed({ seq: Number(seq), chunk: Number(chunk) })
}

/**
 * The frames of an event's chunks behind a place. The id of the last one is the event's number, which is a place of the log as well. The
 * others have `<number of the event before>.<count of chunks since>`.
 */
const framesOf = (
  { seq }: RunEvent,
  chunks: ReadonlyArray<MessageChunk>,
  seen: Place
): ReadonlyArray<StreamedEvent> => {
  if (seq <= seen.seq) return []
  return chunks.flatMap((chunk, index) => {
    const isLast = index === chunks.length - 1
    const isSeen = !isLast && seq - 1 === seen.seq && index < seen.chunk
    const id = isLast ? String(seq) : `${seq - 1}.${index + 1}`
    return isSeen ? [] : [{ id, event: { data: JSON.stringify(chunk) } }]
  })
}

/** Makes the handler for a run's log as a message. */
export const makeRunMessage = Effect.gen(function* () {
  const runs = yield* Runs
  const streams = yield* makeStreams
  const { open } = yield* LongAnswers

  return Effect.fnUntraced(function* (call: LogCall, caller: WorkspaceCaller, runId: RunId) {
    if (preferred(call.request.headers["accept"], ["text/event-stream"]) === undefined)
      return yield* new NotAcceptable({ code: "not_acceptable", detail: "This form exists as text/event-stream only" })
    const seen = yield* seenBefore(call)
    const untilRefused = Effect.ignore(yield* open)
    const views = yield* callerViews
    const chunksOf = makeMessageChunks()
    /** The run where the event ends it well, since its result and message stand in no event; undefined where it was erased meanwhile. */
    const endedBy = (event: RunEvent) => {
      if (event.type !== "run.succeeded") return Effect.undefined
      return Effect.catchTag(runs.readRun({ caller, runId, waitSeconds: 0 }), "RunNotFound", () => Effect.undefined)
    }
    // Chunks depend on those before them, so the log is read from its beginning, wherever the stream goes on.
    const frames = Stream.mapEffect(yield* runs.followRunLog({ caller, runId, after: 0 }), (event) =>
      Effect.map(endedBy(event), (run) => {
        const chunks = chunksOf(views.event(event), run)
        const made = framesOf(event, chunks, seen)
        const isOver = chunks.at(-1)?.type === "finish"
        return isOver ? [...made, { id: String(event.seq), event: { data: MESSAGE_DONE } }] : made
      })
    )
    return streams.events(call.request, Stream.flattenIterable(frames), untilRefused, HEADERS)
  })
})
