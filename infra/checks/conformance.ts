/** Reads docs/conformance.md, and says which of the tests that it names are not there. */
import { dirname, join } from "node:path/posix"

/** A rule, and the tests that hold the platform to it: the file of each from the top folder on, and its title. */
export interface Conformance {
  readonly rule: string
  readonly tests: ReadonlyArray<{ readonly path: string; readonly title: string }>
}

const TEST = /^\[[^\]]+\]\(([^)]+)\): (.+)$/

/** The rules of the page at this path. */
export const conformancesOf = (path: string, page: string): ReadonlyArray<Conformance> =>
  [...page.matchAll(/^\| (.+) \| (.*) \|$/gm)]
    .filter(([, rule]) => rule !== "Rule" && rule !== "---")
    .map(([, rule = "", cell = ""]) => ({
      rule,
      tests: cell.split("<br>").flatMap((one) => {
        const [, file, title] = TEST.exec(one.trim()) ?? []
        return file === undefined || title === undefined ? [] : [{ path: join(dirname(path), file), title }]
      })
    }))

/** The faults of rules: none is without a test, and each test is in its file by its title. */
export const conformanceFaults = (
  rules: ReadonlyArray<Conformance>,
  textOf: (path: string) => string | undefined
): ReadonlyArray<string> =>
  rules.flatMap(({ rule, tests }) =>
    tests.length === 0
      ? [`'${rule}' names no test`]
      : tests.flatMap(({ path, title }) => {
          const text = textOf(path)
          if (text === undefined) return [`'${rule}': there is no file ${path}`]
          const isThere = text.includes(`"${title}"`) || text.includes(`\`${title}\``)
          return isThere ? [] : [`'${rule}': ${path} has no test '${title}'`]
        })
  )
