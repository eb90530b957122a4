/** Pieces of the pages that are made from the code. */

/** The first line of a generated page. */
export const MADE = "<!-- Made from the code by `npm run docs`; edits here are lost. -->"

/** A text as a cell of a table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

/** A table, or nothing where it would have no row. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : [
        `| ${header.join(" | ")} |`,
        `| ${header.map(() => "---").join(" | ")} |`,
        ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`),
        ""
      ]

/** A block of code. */
export const block = (language: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `\`\`\`${language}`,
  ...lines,
  "```",
  ""
]
