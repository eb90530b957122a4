/** An event of an event stream. */
export interface ServerSentEvent {
  /** The last id that was given, by this event or by one before it. */
  readonly id: string
  readonly event: string
  readonly data: string
}

/** One item of a stream: an event, an id without one, or how long to wait before coming back, in milliseconds. */
export type Said = ServerSentEvent | { readonly lastEventId: string } | { readonly retryMillis: number }

/** Reads event streams as they come, however their bytes are cut. WHATWG HTML, 9.2.6. */
export const makeEventReader = (): ((text: string) => ReadonlyArray<Said>) => {
  let rest = ""
  let id = ""
  let reportedId = ""
  let event = ""
  let data: Array<string> = []

  /** The item that an empty line completes: an event, or a new id without one. */
  const completed = (): ReadonlyArray<Said> => {
    if (data.length > 0) return [{ id, event: event || "message", data: data.join("\n") }]
    return id === reportedId ? [] : [{ lastEventId: id }]
  }

  const dispatch = (): ReadonlyArray<Said> => {
    const found = completed()
    reportedId = id
    event = ""
    data = []
    return found
  }

  const read = (line: string): ReadonlyArray<Said> => {
    if (line === "") return dispatch()
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === "data") data.push(value)
    else if (name === "event") event = value
    else if (name === "id" && !value.includes("\0")) id = value
    else if (name === "retry" && /^\d+$/.test(value)) return [{ retryMillis: Number(value) }]
    return []
  }

  /** The items that this text completes. An unfinished line is kept. */
  return (text: string): ReadonlyArray<Said> => {
    // A CR at the end is kept, since it may be the first half of a CRLF.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ""
    return lines.flatMap(read)
  }
}
