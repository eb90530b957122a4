/** Ids that a walk has collected, by the resource they name. */
import type { Chance } from "./values.ts"

/** The resource that the `id` of an answer names, by the method and path of the operation it came from. */
const NAMES: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /\/erasures\/|\/erase$|^DELETE .*(\/runs\/\{run_id\}|\/v1\/sessions\/\{session_id\}|\/workspaces\/\{workspace_id\})$/,
    "erasure_id"
  ],
  [/\/webhooks\/replays\/|\/\{endpoint_id\}\/replay$/, "replay_id"],
  [/\/api-keys/, "key_id"],
  [/\/org\/workspaces/, "workspace_id"],
  [/\/org\/members/, "member_id"],
  [/\/org\/webhooks/, "endpoint_id"],
  [/\/byok\//, "provider"],
  [/\/org\/tool-secrets/, "tool_secret_template_id"],
  [/\/org\/provider-keys/, "provider_key_template_id"],
  [/\/org\/agent-templates/, "agent_template_id"],
  [/\/tool-secrets/, "secret_id"],
  [/\/schedules/, "schedule_id"],
  [/\/auth\/sessions/, "login_session_id"]
]

/** The resource that an `id` in an answer of an operation names. */
const resourceOf = (operation: string) => NAMES.find(([pattern]) => pattern.test(operation))?.[1] ?? "id"

/**
 * The resource that a path parameter names: two kinds of resource are called session and three template, and a workspace that the
 * walk erases is one that it has made.
 */
export const namedBy = (
  { method, path }: { readonly method: string; readonly path: string },
  parameter: string
): string => {
  if (parameter === "session_id" && path.includes("/auth/sessions")) return "login_session_id"
  if (parameter === "template_id") return resourceOf(path)
  if (parameter === "endpoint_id" && path.includes("{delivery_id}")) return "endpoint_id with deliveries"
  return method === "DELETE" && path.endsWith("/org/workspaces/{workspace_id}") ? "made_workspace_id" : parameter
}

const endpointOf = (path: string): string | undefined => /\/org\/webhooks\/([^/?]+)\//.exec(path)?.[1]

/** The name of the deliveries of one endpoint, which alone are found below its address; none for another address. */
export const deliveriesBelow = (path: string): string | undefined => {
  const endpoint = endpointOf(path)
  return endpoint && `delivery_id of ${endpoint}`
}

/** As many of a kind as are kept: later ones take the place of earlier ones. */
const KEPT_MAX = 40

/** A pool that never takes in `hidden` ids: those of the walk's own callers, who have to be there to its end. */
export const makePool = (chance: Chance, hidden: ReadonlySet<string>) => {
  const kept = new Map<string, Array<string>>()
  let own: string | undefined
  const put = (name: string, value: unknown) => {
    if (typeof value !== "string" || value === "" || hidden.has(value)) return
    const all = kept.get(name) ?? []
    kept.set(name, all)
    if (all.includes(value)) return
    if (all.length < KEPT_MAX) all.push(value)
    else all[chance.below(KEPT_MAX)] = value
  }
  const harvest = (operation: string, value: unknown, path = ""): void => {
    if (typeof value !== "object" || value === null) return
    if (Array.isArray(value)) {
      for (const inner of value) harvest(operation, inner, path)
      return
    }
    for (const [name, inner] of Object.entries(value)) {
      if (name === "id" && /\/org\/workspaces$/.test(operation) && inner !== own) put("made_workspace_id", inner)
      if (name === "id") put(resourceOf(operation), inner)
      else if (name.endsWith("_id")) put(name, inner)
      else if (name === "next_cursor") put("cursor", inner)
      else if (name === "url" && typeof inner === "string") put("token", /\/hooks\/[^/]+\/([^/]+)$/.exec(inner)?.[1])
      if (name === "delivery_id") put(deliveriesBelow(path) ?? name, inner)
      if (name === "delivery_id") put("endpoint_id with deliveries", endpointOf(path))
      harvest(operation, inner, path)
    }
  }
  return {
    put,
    /** The workspace of the walk's own callers, which is not erased. */
    keep: (workspaceId: string) => {
      own = workspaceId
      put("workspace_id", workspaceId)
    },
    /** Keeps what an answer of an operation, such as `GET /api/v1/agents`, at a path names. */
    harvest,
    /** One that fits; now and then one that names something else, or nothing. */
    known: (name: string): string | undefined => {
      const all = kept.get(name)
      if (all === undefined) return undefined
      return chance.is(0.04) ? chance.pick([...kept.values()].flat()) : chance.pick(all)
    }
  }
}

export type Pool = ReturnType<typeof makePool>
