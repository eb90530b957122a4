import { DateTime, Option } from "effect"

/**
 * The name of a time zone of the IANA database, or undefined when it has none of this name. An offset such as `+01:00` is no
 * time zone, since it has no summer time.
 */
export const parseTimezone = (name: string): string | undefined => {
  const zone = /^[A-Za-z]/.test(name) ? Option.getOrUndefined(DateTime.zoneMakeNamed(name)) : undefined
  if (zone === undefined) return undefined
  // The runtime renames a zone of several names to its oldest, Asia/Kolkata to Asia/Calcutta; the chosen name is kept.
  return zone.id.toLowerCase() === name.toLowerCase() ? zone.id : name
}
