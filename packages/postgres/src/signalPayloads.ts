/** How signals are told to other processes, by NOTIFY. */

/** The one channel of all topics, which are in the payload. */
export const channelOf = (schema: string) => `${schema}_signal`

/** A payload of NOTIFY must be shorter than 8000 bytes; everything in it besides topics is under 100. */
const TOPIC_BYTES_MAX = 7900

/** A payload is a line with the id of the process, followed by one line for each topic. */
export const payloads = (raiser: string, topics: Iterable<string>): ReadonlyArray<string> => {
  const made: Array<string> = []
  let lines: Array<string> = []
  let size = 0
  for (const topic of topics) {
    const bytes = new TextEncoder().encode(topic).length + 1
    if (bytes > TOPIC_BYTES_MAX) continue
    if (size + bytes > TOPIC_BYTES_MAX) {
      made.push([raiser, ...lines].join("\n"))
      lines = []
      size = 0
    }
    lines.push(topic)
    size += bytes
  }
  if (lines.length > 0) made.push([raiser, ...lines].join("\n"))
  return made
}
