/** How far long work has come: a bar that is drawn over on a terminal, a line now and then anywhere else. */
import { Clock, Context, Effect } from "effect"
import { JsonFlag } from "./described.ts"

/** Where progress is shown: standard error, so that standard output holds nothing but the answer. */
export interface ProgressOutput {
  readonly isTerminal: boolean
  readonly columns: number
  readonly write: (text: string) => void
}

export const ProgressOutput = Context.Reference<ProgressOutput>("@agent-platform/admin/ProgressOutput", {
  defaultValue: () => ({
    isTerminal: process.stderr.isTTY === true,
    columns: process.stderr.columns ?? 80,
    write: (text) => void process.stderr.write(text)
  })
})

export interface Step {
  /** The task in progress. */
  readonly label: string
  readonly done: number
  /** How many there are in all; undefined where nobody knows. */
  readonly total?: number | undefined
}

/** How often a line is written where there is no terminal. */
const LINE_SECONDS = 5

const BAR_LENGTH_MAX = 30

const ERASED = "\r\u001b[2K"

/** The step as one line of a terminal of this width. */
export const barOf = ({ done, label, total }: Step, columns: number): string => {
  const count = total === undefined ? `${done}` : `${done}/${total}`
  const length = Math.max(0, Math.min(BAR_LENGTH_MAX, columns - label.length - count.length - 6))
  const filled = total === undefined || total === 0 ? 0 : Math.round((Math.min(done, total) / total) * length)
  const bar = total === undefined || length < 5 ? "" : `[${"#".repeat(filled)}${"-".repeat(length - filled)}] `
  return `${label} ${bar}${count}`.slice(0, Math.max(0, columns - 1))
}

/**
 * Makes the function that shows steps as they come. A bar is removed from the terminal when the scope closes. Without a terminal it
 * writes lines, and with `--json` nothing.
 */
export const makeProgress = Effect.gen(function* () {
  const output = yield* ProgressOutput
  const writesLines = !output.isTerminal && !(yield* JsonFlag)
  let lastLineAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      if (isDrawn) output.write(ERASED)
    })
  )
  return (step: Step): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (output.isTerminal) {
        isDrawn = true
        return output.write(`${ERASED}${barOf(step, output.columns)}`)
      }
      if (!writesLines || now - lastLineAt < LINE_SECONDS * 1_000) return
      lastLineAt = now
      output.write(`${step.label}: ${step.done}${step.total === undefined ? "" : ` of ${step.total}`}\n`)
    })
})
