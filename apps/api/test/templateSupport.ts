/** An organization with templates over HTTP, and workers that bring them to its workspaces. */
import { Effect, Schedule } from "effect"
import { type Json, type Tenant, TestApi } from "./support.ts"

/** Calls by the organization's key and in its workspaces, for templates below `path`. */
export const givenTemplates = Effect.fnUntraced(function* (path: string) {
  const api = yield* TestApi
  const tenant: Tenant = yield* api.tenant
  const asOrganization = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.call(method, to, { key: tenant.orgKey, headers, ...(body === undefined ? {} : { body }) })
  const inWorkspace = (workspaceId: string) => (method: string, to: string, body?: unknown) =>
    asOrganization(method, to, body, { "x-workspace-id": workspaceId })
  return {
    api,
    tenant,
    asOrganization,
    inWorkspace,
    newWorkspace: Effect.map(asOrganization("POST", "/api/v1/org/workspaces", { name: "W" }), ({ json }) =>
      String(json["id"])
    ),
    /** The items of a list in a workspace. */
    itemsOf: (workspaceId: string, list: string) =>
      Effect.map(
        inWorkspace(workspaceId)("GET", list),
        ({ json }) => json["items"] as unknown as ReadonlyArray<Json & Record<string, unknown>>
      ),
    /** Waits until the version of a template has reached every workspace. */
    spreadTo: (id: string, version: number) =>
      asOrganization("GET", `${path}/${id}`).pipe(
        Effect.map(({ json }) => json),
        Effect.repeat({
          schedule: Schedule.spaced("20 millis"),
          while: (json) => Number(json["version"]) !== version || json["spread"]!["ended_at"] === null
        })
      ),
    /** The parts that the workspaces have of a template, by their ids. */
    partsOf: (id: string) =>
      Effect.map(asOrganization("GET", `${path}/${id}/workspaces`), ({ json }) => {
        const items = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
        return Object.fromEntries(items.map(({ workspace_id, ...part }) => [String(workspace_id), part]))
      })
  }
})
