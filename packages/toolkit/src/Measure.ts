/** Measures: what a process counts and times for its operators, under names that dashboards and alerts rely on. */
import { Effect, Metric } from "effect"

/** A measure, and its metric for the given values of its labels. */
export interface Measure<Label extends string = string> {
  /** `agent_platform_…`, with its unit at the end: `_seconds`, `_bytes`; `_total` for what only grows. */
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  /** The names of its labels. Their values are of small closed sets: ids, or text of callers, would make series without end. */
  readonly labels: ReadonlyArray<Label>
  /** Its meaning, in one sentence. */
  readonly help: string
  readonly of: (labels: Readonly<Record<Label, string>>) => Metric.Metric<number, unknown>
}

/** Most series of one measure in a process. What comes beyond goes into one whose labels all are `_other`. */
export const SERIES_MAX = 3_000

/** The value of a label in place of those beyond its bound. */
const OTHER = "_other"

/** Bounds for times in seconds, from a look-up to a run. */
export const SECONDS: ReadonlyArray<number> = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600
]

/** Declares measures of a kind. A metric is made once for the same labels: Effect looks up each new one by name and attributes. */
const declare =
  (kind: Measure["kind"]) =>
  <const Label extends string = never>(
    name: string,
    help: string,
    labels: ReadonlyArray<Label> = [],
    boundaries: ReadonlyArray<number> = SECONDS
  ): Measure<Label> => {
    const make = (attributes: Readonly<Record<string, string>>): Metric.Metric<number, unknown> => {
      const options = { description: help, attributes }
      if (kind === "gauge") return Metric.gauge(name, options)
      return kind === "counter"
        ? Metric.counter(name, { ...options, incremental: true })
        : Metric.histogram(name, { ...options, boundaries })
    }
    const metrics = new Map<string, Metric.Metric<number, unknown>>()
    let overflow: Metric.Metric<number, unknown> | undefined
    const of: Measure<Label>["of"] = (values) => {
      const key = labels.map((label) => values[label]).join("\n")
      const known = metrics.get(key)
      if (known !== undefined) return known
      if (metrics.size >= SERIES_MAX) {
        overflow ??= make(Object.fromEntries(labels.map((label) => [label, OTHER])))
        return overflow
      }
      const made = make(values)
      metrics.set(key, made)
      return made
    }
    return { name, kind, labels, help, of }
  }

/** Declares a count that only grows, of `SERIES_MAX` series at most. */
export const counter = declare("counter")

/** Declares a value that goes up and down. */
export const gauge = declare("gauge")

/** Declares values in buckets, whose upper bounds are `SECONDS` unless others are given. */
export const histogram = declare("histogram")

/** Longest value of a label that callers have a part in. */
const LABEL_LENGTH_MAX = 100

/**
 * Bounds a label whose values callers have a part in: the first `max` different ones of the process stand for themselves, if they
 * are not long; every other one is `_other`.
 */
export const makeBoundedLabel = (max: number): ((value: string) => string) => {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= max || value.length > LABEL_LENGTH_MAX) return OTHER
    known.add(value)
    return value
  }
}

/** Adds to a counter, sets a gauge, or puts a value into a histogram. */
export const measure = <Label extends string>(
  { of }: Measure<Label>,
  labels: Readonly<Record<Label, string>>,
  value: number
): Effect.Effect<void> => Metric.update(of(labels), value)

/** Shows series at 0 before anything is counted: alerting rules see no increase in a counter that appears with its first value. */
export const beginAtZero = <Label extends string>(
  { of }: Measure<Label>,
  series: ReadonlyArray<Readonly<Record<Label, string>>>
): Effect.Effect<void> => Effect.forEach(series, (labels) => Metric.modify(of(labels), 0), { discard: true })

/** Measures from callbacks, where no effect is run. */
export interface Meter {
  /** Does what the function `measure` does. */
  readonly measure: <Label extends string>(
    measure: Measure<Label>,
    labels: Readonly<Record<Label, string>>,
    value: number
  ) => void
  /** Adds to a gauge; a negative amount takes away. */
  readonly add: (gauge: Measure<never>, amount: number) => void
}

/** A meter for the registry of the current context. */
export const makeMeter: Effect.Effect<Meter> = Effect.map(Effect.context<never>(), (context) => ({
  measure: ({ of }, labels, value) => of(labels).updateUnsafe(value, context),
  add: ({ of }, amount) => of({}).modifyUnsafe(amount, context)
}))

/** Counts an effect in a gauge for as long as it runs. */
export const whileRunning =
  (gauge: Measure<never>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Metric.modify(gauge.of({}), 1),
      () => effect,
      () => Metric.modify(gauge.of({}), -1)
    )
