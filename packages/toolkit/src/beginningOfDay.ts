import { DateTime, Option } from "effect"

/** The first moment of a day on a zone's clock: midnight, or the end of the gap where the clock jumps over it. */
export const beginningOfDay = (
  timezone: string,
  day: { readonly year: number; readonly month: number; readonly day: number }
): DateTime.Utc =>
  DateTime.toUtc(
    Option.getOrThrow(
      DateTime.makeZoned(day, { timeZone: timezone, adjustForTimeZone: true, disambiguation: "compatible" })
    )
  )
