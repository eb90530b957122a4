import type { Finding } from "./Finding.ts"

const LEVEL_WIDTH = 8

/** Findings in columns, as wide as the longest name of a check. */
export const linesOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const width = Math.max(0, ...findings.map(({ check }) => check.length)) + 2
  const indent = " ".repeat(LEVEL_WIDTH + width)
  return findings.map(({ advice, check, level, message }) => {
    const line = `${level.padEnd(LEVEL_WIDTH)}${check.padEnd(width)}${message.replaceAll(/\p{C}/gu, "?")}`
    return advice === null ? line : `${line}\n${indent}${advice}`
  })
}
