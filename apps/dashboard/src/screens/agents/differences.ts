/** The settings in which two versions of an agent differ. */
import type { Agent, AgentVersion } from "@agent-platform/client"
import { type AgentSettings, isSet } from "./draft.ts"

/** A setting before and after a change. */
export interface Difference {
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

/** Members that every version has for itself. */
const NO_SETTINGS = ["agent_id", "version", "created_at"]

/** The address alone: of secrets there is nothing to compare. */
const shown = (name: string, value: unknown): unknown =>
  name === "endpoint" && typeof value === "object" && value !== null && "url" in value ? { url: value.url } : value

/** A setting, and the value that a version has of it. */
export interface Setting {
  readonly name: string
  readonly value: unknown
}

/** The settings that a version has, by name; those that are not set are left out. */
export const settingsIn = (version: AgentVersion): ReadonlyArray<Setting> =>
  Object.entries(version)
    .filter(([name, value]) => !NO_SETTINGS.includes(name) && isSet(value))
    .map(([name, value]) => ({ name, value: shown(name, value) }))

/** The settings that differ, by name. */
export const differencesOf = (
  before: AgentSettings,
  after: AgentSettings | AgentVersion | Agent
): ReadonlyArray<Difference> => {
  const old: Readonly<Record<string, unknown>> = { ...before }
  return Object.entries(after)
    .filter(([name]) => name in old && !NO_SETTINGS.includes(name))
    .map(([name, value]) => ({ name, before: shown(name, old[name]), after: shown(name, value) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after))
}
