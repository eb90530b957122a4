/** Lines of a text that comes in pieces. */

/** The lines that a piece completes, and the fault for which nothing after them can be read, if there is one. */
export interface Lines {
  readonly lines: ReadonlyArray<string>
  readonly fault: string | undefined
}

/** Splits bytes into lines of UTF-8, each of at most `lengthMax` characters. It keeps no more than one line. */
export const makeLineSplitter = (lengthMax: number) => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""

  const decode = (piece: Uint8Array | undefined): string | undefined => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
    } catch {
      return undefined
    }
  }

  return {
    /** The lines that end in this piece. Without a piece the text is over: its last line, which has no line break. */
    push: (piece?: Uint8Array): Lines => {
      const text = decode(piece)
      if (text === undefined) return { lines: [], fault: "is not UTF-8" }
      // Only the new piece is searched: a line may come byte by byte.
      const lines = text.split("\n")
      lines[0] = rest + lines[0]
      rest = piece === undefined ? "" : (lines.pop() ?? "")
      const tooLong = lines.findIndex((line) => line.length > lengthMax)
      if (tooLong === -1 && rest.length <= lengthMax) return { lines, fault: undefined }
      const readable = tooLong === -1 ? lines : lines.slice(0, tooLong)
      return { lines: readable, fault: `has a line of more than ${lengthMax} characters` }
    }
  }
}
