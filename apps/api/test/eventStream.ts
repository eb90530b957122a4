/** Event streams of the API as a client reads them. */
import { Effect } from "effect"
import { type Call, TestApi } from "./support.ts"

/** One event. */
export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: string
}

const frameOf = (block: string): Frame => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? ""
  return { id: field("id"), event: field("event"), data: field("data") }
}

/** Opens a stream. `next` is its next event, comments and what has no data left out; undefined once it has ended. `close` goes away. */
export const openStream = (path: string, call: Call) =>
  Effect.gen(function* () {
    const api = yield* TestApi
    const response = yield* api.fetch("GET", path, call)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const close = Effect.ignore(Effect.tryPromise(() => reader.cancel()))
    yield* Effect.addFinalizer(() => close)
    let text = ""
    const next: Effect.Effect<Frame | undefined> = Effect.gen(function* () {
      while (true) {
        const end = text.indexOf("\n\n")
        if (end >= 0) {
          const block = text.slice(0, end)
          text = text.slice(end + 2)
          if (!block.startsWith(":") && /^data:/m.test(block)) return frameOf(block)
          continue
        }
        const read = yield* Effect.promise(() => reader.read())
        if (read.done) return undefined
        text += read.value
      }
    })
    return { response, next, close }
  })
