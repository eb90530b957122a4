/** Exports of activity in files, read back page by page. */
import { ExportBroken, makeExportReader, type ReadPage } from "@agent-platform/feeds"
import { CommandRefused } from "@agent-platform/process"
import { Effect, FileSystem, Stream } from "effect"
import type { Digest } from "effect/crypto"

/**
 * The pages of one export, from its files in their order. Fails with CommandRefused, which names the file and the line, where a
 * file cannot be read or is not as it was exported.
 */
export const readPages = (
  paths: ReadonlyArray<string>
): Stream.Stream<ReadPage, CommandRefused, Digest.Digest | FileSystem.FileSystem> => {
  // One for all files, because each page names the one before it; no page crosses files.
  const reader = makeExportReader()
  const pagesOf = (path: string) => {
    let line = 0
    const read = (text: string) => {
      line += 1
      return reader.line(text)
    }
    return Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.stream(path))).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.mapEffect(read),
      Stream.concat(Stream.fromEffect(Effect.as(reader.end, undefined))),
      Stream.filter((page) => page !== undefined),
      Stream.mapError((error) => {
        const message =
          error instanceof ExportBroken
            ? `${path}, line ${line}: ${error.detail}`
            : `${path} cannot be read: ${error.message}`
        return new CommandRefused({ message })
      })
    )
  }
  return Stream.flatMap(Stream.fromIterable(paths), pagesOf)
}
