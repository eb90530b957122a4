/** Expressions of Prometheus: enough of PromQL to hold them against the metrics that there are. */
import type { Measure } from "@agent-platform/toolkit"

/** Labels that Prometheus adds to whatever it scrapes. */
const ADDED = ["job", "instance", "namespace", "pod"]

/** The metrics that an expression names, each with the labels that are asked of it. */
const selectorsIn = (expression: string) =>
  [...expression.matchAll(/\b([a-z_][a-z0-9_:]*)(?:\{([^}]*)\})?/g)].flatMap(([, name = "", matchers = ""]) =>
    /^(?:agent_platform|process|gen_ai)[_:]/.test(name)
      ? [{ name, labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label) }]
      : []
  )

const groupedBy = (expression: string): ReadonlyArray<string> =>
  [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim())
  )

const withoutGroups = (expression: string): string => expression.replaceAll(/\b(?:by|on)\s*\([^)]*\)/g, "")

const isBalanced = (expression: string): boolean => {
  const closers: Array<string> = []
  for (const sign of expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")) {
    const closer = { "(": ")", "{": "}", "[": "]" }[sign]
    if (closer !== undefined) closers.push(closer)
    else if (")}]".includes(sign) && closers.pop() !== sign) return false
  }
  return closers.length === 0
}

/** The faults of an expression: metrics and labels that do not exist. `recorded` are the names of recording rules. */
export const promqlProblems = (
  expression: string,
  measures: ReadonlyArray<Measure>,
  recorded: ReadonlySet<string> = new Set()
): ReadonlyArray<string> => {
  const problems = isBalanced(expression) ? [] : ["its brackets do not match"]
  const known = new Set(ADDED)
  const bare = withoutGroups(expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'))
  for (const { labels, name } of selectorsIn(bare)) {
    if (recorded.has(name)) continue
    const part = /_(bucket|sum|count)$/.exec(name)?.[0] ?? ""
    const plain = name.slice(0, name.length - part.length)
    const measure =
      measures.find((one) => one.name === name) ??
      measures.find((one) => one.name === plain && one.kind === "histogram")
    if (measure === undefined) {
      problems.push(`there is no metric ${name}`)
      continue
    }
    if (measure.kind === "histogram" && part === "")
      problems.push(`${name} is a histogram, of which a part is asked for`)
    const own = part === "_bucket" ? [...measure.labels, "le"] : measure.labels
    for (const label of own) known.add(label)
    for (const label of labels) {
      if (![...own, ...ADDED].includes(label)) problems.push(`${name} has no label ${label}`)
    }
  }
  for (const label of groupedBy(expression)) if (!known.has(label)) problems.push(`nothing in it has a label ${label}`)
  return problems
}
