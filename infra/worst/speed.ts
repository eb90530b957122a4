/** How slow this machine is at this moment, beside the one that the bounds were chosen on. */

/** Processor milliseconds of the work on the machine of the bounds, when nobody else used it. */
const REFERENCE_MILLIS = 45

/** How often the work is done; the quickest counts. */
const ROUNDS = 7

const MEMBERS = 30_000

/** The work of handlers on a large body: make text, parse it, look names up, and sort. */
const work = (): number => {
  const members = Array.from({ length: MEMBERS }, (_, index) => [`name-${(index * 7919) % MEMBERS}`, `value ${index}`])
  const parsed = JSON.parse(JSON.stringify(Object.fromEntries(members))) as Record<string, string>
  const names = Object.keys(parsed).sort()
  return names.reduce((sum, name) => sum + (parsed[name]?.length ?? 0), 0)
}

const millisOf = (act: () => unknown): number => {
  const before = process.cpuUsage()
  act()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}

/** The factor by which times are stretched here; never less than 1. */
export const measureSpeed = (): { readonly factor: number; readonly millis: number } => {
  const millis = Math.min(...Array.from({ length: ROUNDS }, () => millisOf(work)))
  return { factor: Math.max(1, millis / REFERENCE_MILLIS), millis }
}
