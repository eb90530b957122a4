/** Who may call an operation, in the words of the pages. */
import { Access, Api, type Reach } from "@agent-platform/contract"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"

const CALLERS: Readonly<Record<Reach, string>> = {
  workspace: "keys and sessions, for a workspace",
  organization: "organization keys; sessions of owners and admins",
  organization_key: "organization keys",
  session: "sessions",
  caller: "every key and session",
  public: "everybody"
}

const access = new Map<string, { readonly scope: string; readonly callers: string }>()

HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    const { reach, scope } = Context.getOrUndefined(endpoint.annotations, Access) ?? { reach: "public", scope: null }
    const name = `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`
    access.set(name, { scope: scope === null ? "none" : `\`${scope}\``, callers: CALLERS[reach] })
  }
})

/** The scope and the callers of an operation by its name, such as `POST /api/v1/runs/`. */
export const accessOf = (name: string): { readonly scope: string; readonly callers: string } => {
  const found = access.get(name)
  if (found === undefined) throw new Error(`The contract has no endpoint ${name}`)
  return found
}
