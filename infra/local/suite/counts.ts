import { readFileSync } from "node:fs"

/** How many tests passed, failed and were skipped. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** No test at all. */
export const none: Counts = { passed: 0, failed: 0, skipped: 0 }

/** The sum of two counts. */
export const plus = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped
})

/** The count of a checker, which is one test: it passes when it exits with 0. */
export const ofChecker = (exitCode: number): Counts =>
  exitCode === 0 ? { ...none, passed: 1 } : { ...none, failed: 1 }

const linesThat = (output: string, begin: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line.startsWith(begin))

/** The checks that a program of ours left out, for want of a tool that it names. */
export const leftOutIn = (output: string): ReadonlyArray<string> => linesThat(output, "left out")

/** The counts of a program of ours that says `ok`, `FAILED` or `left out` of each check, a line each. */
export const ofLines = (output: string, exitCode: number): Counts => {
  const failed = linesThat(output, "FAILED").length
  return {
    passed: linesThat(output, "ok ").length,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: leftOutIn(output).length
  }
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

const ofFile = ({ assertionResults, status }: Report["testResults"][number]): Counts => {
  const having = (...wanted: ReadonlyArray<string>) =>
    assertionResults.filter((result) => wanted.includes(result.status)).length
  const failed = having("failed")
  return {
    passed: having("passed"),
    // A file that does not load, or whose hooks fail, has no failed test of its own.
    failed: failed === 0 && status === "failed" ? 1 : failed,
    skipped: having("skipped", "pending", "todo", "disabled")
  }
}

/**
 * The counts in a report of vitest's json reporter. A run that failed for a reason outside of every test, or that left no
 * readable report, has one failed test; so it never reads as passed.
 */
export const ofVitest = (reportFile: string, exitCode: number): Counts => {
  let counts = none
  try {
    const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report
    counts = report.testResults.map(ofFile).reduce(plus, none)
  } catch {
    return { ...none, failed: 1 }
  }
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

/** The last line of `npm test`. */
export const lastLine = ({ failed, passed, skipped }: Counts): string =>
  `tests: ${passed} passed, ${failed} failed, ${skipped} skipped`

/** 0 when tests ran and none failed, else 1. */
export const exitCodeOf = ({ failed, passed }: Counts): 0 | 1 => (failed === 0 && passed > 0 ? 0 : 1)
