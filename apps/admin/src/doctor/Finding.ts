/** One result of examining a deployment. */

/** How bad it is: `problem` is what keeps the platform, or a part of it, from working. */
export type Level = "ok" | "notice" | "warning" | "problem"

export interface Finding {
  /** The subject, as `area.thing`. */
  readonly check: string
  readonly level: Level
  /** The fact, in a sentence. */
  readonly message: string
  /** The remedy; null where there is nothing to do. */
  readonly advice: string | null
}

/** A finding that nothing is to be done about. */
export const ok = (check: string, message: string): Finding => ({ check, level: "ok", message, advice: null })

/** A finding that something should be done about. */
export const found = (level: Exclude<Level, "ok">, check: string, message: string, advice: string): Finding => ({
  check,
  level,
  message,
  advice
})

/** A time span as people say it. */
export const spanOf = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
