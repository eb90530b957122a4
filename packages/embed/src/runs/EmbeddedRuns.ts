import type { Embedded, InTransaction } from "../internal/Embedded.ts"
import type { InputOf, Recipes } from "./recipes.ts"
import type { Run, RunEvent } from "./views.ts"

/** How a run is executed. */
export interface RunSettings {
  /** The session of another run, whose runs go before this one. A session of its own unless given. */
  readonly session?: string
  /** If the session has unfinished runs: whether this one waits behind them, is refused, or has them cancelled. */
  readonly ifBusy?: "enqueue" | "reject" | "interrupt"
  /** It does not begin before this time. */
  readonly runAt?: Date
  /** It fails as `expired` if it has not begun this many seconds after it could have. */
  readonly ttlSeconds?: number
  /** How often it is begun where its process is lost: once unless given, 10 at most. What the function throws ends the run. */
  readonly maxAttempts?: number
  /** It fails as `timed_out` after this many seconds; an hour by default, a day at most. */
  readonly maxDurationSeconds?: number
  /** From -100 to 100: a tenant's runs with a higher one go first. */
  readonly priority?: number
  readonly tags?: ReadonlyArray<string>
  readonly metadata?: Readonly<Record<string, string>>
}

/** A run to be executed. */
export type TriggeredRun<R extends Recipes> = {
  readonly [Name in keyof R & string]: RunSettings & {
    readonly tenant: string
    readonly recipe: Name
  } & (Parameters<R[Name]> extends readonly [] ? { readonly input?: null } : { readonly input: InputOf<R[Name]> })
}[keyof R & string]

/** Which runs a list has. */
export interface RunsPage<Name extends string = string> {
  readonly recipe?: Name
  /** `succeeded` has those that asked as well, whether they wait or were answered. */
  readonly status?: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled"
  readonly session?: string
  readonly tag?: string
  readonly limit?: number
  /** The `next` of the page before. */
  readonly after?: string | undefined
}

/** Runs of a host's tenants. Every method rejects with `EmbedError` where it refuses. */
export interface EmbeddedRuns<R extends Recipes = Recipes> extends Embedded {
  /** Starts to execute runs, and to look after those of processes that were lost, in this process until `close`. */
  readonly start: () => Promise<void>
  /**
   * Lets runs end, for `drainSeconds` at most, and hands the others back to be begun again elsewhere, which costs no attempt. Closes our
   * connections; a pool of the host stays open.
   */
  readonly close: () => Promise<void>
  /**
   * Has a recipe executed. With `client` the run is part of the host's transaction that the client is in: it begins within
   * milliseconds of the commit, and does not exist if that is rolled back. What the client throws is thrown as it is.
   */
  readonly trigger: (run: TriggeredRun<R>, options?: InTransaction) => Promise<Run>
  /** Wakes the workers of all processes. Called after the commit by hosts whose option `notify` is false, or workers only poll. */
  readonly wake: () => Promise<void>
  readonly get: (tenant: string, runId: string) => Promise<Run>
  /** The run once it has ended or asks, or as it is after `seconds`; without a limit unless given. */
  readonly wait: (tenant: string, runId: string, options?: { readonly seconds?: number }) => Promise<Run>
  /**
   * The log of a run from its first entry, or behind the entry `after`, up to the last; new ones as they are written. It can be read
   * any number of times, and gone on with in any process.
   */
  readonly events: (tenant: string, runId: string, options?: { readonly after?: number }) => AsyncIterable<RunEvent>
  /**
   * Answers the question of a run that waits, and returns the run that goes on with the answer. Of several answers one wins; the
   * others are refused with `question_answered`.
   */
  readonly reply: (
    tenant: string,
    runId: string,
    answer: { readonly message?: string; readonly data?: unknown }
  ) => Promise<Run>
  /**
   * Cancels the unfinished runs of the run's session, and its question. Waiting runs end at once. The `signal` of one that is
   * executed is aborted, and it ends when its function has returned, after 10 seconds at the latest. With
   * `immediately` it ends at once, and what its function still does is dropped.
   */
  readonly cancel: (
    tenant: string,
    runId: string,
    options?: { readonly reason?: string; readonly immediately?: boolean }
  ) => Promise<Run>
  /** Newest first, 50 at most. `next`, unless undefined, is `after` of the page that follows. */
  readonly list: (
    tenant: string,
    page?: RunsPage<keyof R & string>
  ) => Promise<{ readonly items: ReadonlyArray<Run>; readonly next: string | undefined }>
}
