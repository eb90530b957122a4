/** Tells a step that was run from another of the same number: until the first release, first steps are edited in place. */
import { createHash } from "node:crypto"
import { referencesOf } from "./references.ts"
import type { NumberedStep, Step } from "./Step.ts"

const digests = new WeakMap<Step, string>()

const flat = (text: string) => text.replace(/\s+/g, " ").trim()

const textsOf = ({ domain, number, step }: NumberedStep): ReadonlyArray<string> => {
  if ("index" in step) return [JSON.stringify(step.index)]
  if ("backfill" in step) return [step.table, step.backfill("agent_platform")]
  return [...step.statements("agent_platform"), ...(number === 1 ? referencesOf(domain) : [])]
}

/**
 * A short hash of all that a step does, whatever the schema is called, white space aside. The first step of a domain includes the
 * references from its tables and to them, also where the other domain is not installed.
 */
export const digestOf = (numbered: NumberedStep): string => {
  const known = digests.get(numbered.step)
  if (known !== undefined) return known
  const digest = createHash("sha256")
    .update(JSON.stringify(textsOf(numbered).map(flat)))
    .digest("hex")
    .slice(0, 16)
  digests.set(numbered.step, digest)
  return digest
}
