/** One event of an event stream. */
export interface EventFrame {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** An id without an event: where the stream is, for coming back to it. */
export interface PlaceFrame {
  readonly id: string
}

/** Reads an event stream as it comes, however it is cut into pieces. */
export interface FrameReader {
  /** The events that are whole with this piece, and the places. */
  readonly push: (piece: string) => ReadonlyArray<EventFrame | PlaceFrame>
  /** How long the server asks to wait before coming back, in milliseconds; undefined unless it said so. */
  readonly retryMillis: () => number | undefined
}

const frameIn = (lines: ReadonlyArray<string>): EventFrame | PlaceFrame | undefined => {
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ""))
  const data = valuesOf("data")
  const [id, type] = [valuesOf("id").at(-1), valuesOf("event").at(-1)]
  if (id === undefined) return undefined
  if (data.length === 0) return { id }
  return type === undefined ? undefined : { id, type, data: data.join("\n") }
}

/** A reader at the beginning of a stream. Comments are left out, and so is what has no id, and data without a type. */
export const makeFrameReader = (): FrameReader => {
  let rest = ""
  let retry: number | undefined
  return {
    push: (piece) => {
      const blocks = (rest + piece).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ""
      return blocks.flatMap((block) => {
        const lines = block.split(/\r?\n/)
        const asked = /^retry: ?(\d{1,6})$/.exec(lines.find((line) => line.startsWith("retry:")) ?? "")
        if (asked !== null) retry = Number(asked[1])
        return frameIn(lines) ?? []
      })
    },
    retryMillis: () => retry
  }
}
