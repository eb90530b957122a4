import { useSyncExternalStore } from "react"

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })

const STEPS: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
]

/** How long ago that is, in the coarsest unit that fits: `now`, `3 min. ago`, `yesterday`. */
export const ago = (iso: string, now: number): string => {
  const seconds = Math.round((Date.parse(iso) - now) / 1_000)
  const [unit, size] = STEPS.find(([, least]) => Math.abs(seconds) >= least) ?? ["second", 1]
  if (unit === "second") return relative.format(seconds > -5 && seconds < 5 ? 0 : seconds, unit)
  return relative.format(Math.trunc(seconds / size), unit)
}

/** The exact time in the reader's zone. */
export const exactTime = (iso: string): string => exact.format(new Date(iso))

const TICK_MILLIS = 10_000
let tick = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

// One clock for all times of the page, which stands still while no time is shown.
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    tick = Date.now()
    for (const one of listeners) one()
  }, TICK_MILLIS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

interface TimeProps {
  readonly at: string
  /** Whether something is due then: once that time has come, it reads `now` instead of some time ago. */
  readonly due?: boolean
  /** Whether it ends a sentence: a full stop is added, unless the time ends with one, as `3 hr.` does. */
  readonly last?: boolean
}

/** A time, relative to now; the exact one on hover. */
export const Time = ({ at, due = false, last = false }: TimeProps) => {
  // Only to be drawn anew with the clock.
  useSyncExternalStore(subscribe, () => tick)
  const now = Date.now()
  const words = ago(at, due ? Math.min(now, Date.parse(at)) : now)
  return (
    <>
      <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
        {words}
      </time>
      {last && !words.endsWith(".") && "."}
    </>
  )
}
