/** The options of `createRuns`, checked before anything else happens. */
import { type Place, placeOf } from "../internal/database.ts"
import { invalidOption, wholeOption } from "../internal/inputs.ts"
import type { Recipes } from "./recipes.ts"

/** `database` or `memory: true`, and `recipes`; all else has a default. */
export type RunsOptions<R extends Recipes = Recipes> = Place & {
  /** The functions that runs execute, by name. A process that executes runs needs the functions of all runs that are triggered. */
  readonly recipes: R
  /** Most runs that this process executes at once; 100 by default. */
  readonly concurrencyMax?: number | undefined
  /**
   * Whether runs that are triggered in transactions of yours wake the workers by a NOTIFY, which lets such transactions commit one
   * after the other. True by default; without it workers find them by looking every `pollSeconds`, and by `wake`.
   */
  readonly notify?: boolean | undefined
  /** How often work is looked for when nothing wakes the process; 1 by default. */
  readonly pollSeconds?: number | undefined
  /** How long `close` lets functions go on before it hands their runs back, in seconds; 15 by default. */
  readonly drainSeconds?: number | undefined
  /** Days for which runs are kept once the last of their session has ended; for ever unless given. */
  readonly historyDays?: number | undefined
}

const RECIPES_MAX = 1_000
const CONCURRENCY_MAX = 1_000

/** The options in force. */
export const readOptions = (options: RunsOptions) => {
  const { concurrencyMax = 100, drainSeconds = 15, historyDays, log, notify = true, pollSeconds = 1, recipes } = options
  const installation = placeOf("runs", options)
  const entries = typeof recipes === "object" && recipes !== null ? Object.entries(recipes) : []
  if (entries.length === 0 || entries.length > RECIPES_MAX)
    throw invalidOption(`recipes has 1 to ${RECIPES_MAX} functions`)
  for (const [name, recipe] of entries) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/.test(name)) {
      throw invalidOption(
        `A recipe is called by 1 to 64 letters, digits, _, ., : and -: ${JSON.stringify(name)} is not`
      )
    }
    if (typeof recipe !== "function") throw invalidOption(`The recipe ${name} is a function`)
  }
  if (!(pollSeconds >= 0.05 && pollSeconds <= 3_600)) throw invalidOption("pollSeconds is a number from 0.05 to 3600")
  if (!(drainSeconds >= 0 && drainSeconds <= 3_600)) throw invalidOption("drainSeconds is a number from 0 to 3600")
  return {
    installation,
    recipes,
    drainSeconds,
    notifies: notify === true,
    concurrencyMax: wholeOption("concurrencyMax", concurrencyMax, 1, CONCURRENCY_MAX),
    pollSeconds,
    historyDays: historyDays === undefined ? undefined : wholeOption("historyDays", historyDays, 1, 3_650),
    log
  }
}

export type RunsSettings = ReturnType<typeof readOptions>
