import { readFileSync } from "node:fs"

/** How much of a process is in memory, in MB; NaN where the system does not say. */
export const residentMegabytes = (pid: number): number => {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return Number(kilobytes) / 1024
  } catch {
    return Number.NaN
  }
}
