import { type OrganizationId, toPage } from "@agent-platform/kernel"
import { layerMemory } from "@agent-platform/kernel/memory"
import { Effect } from "effect"
import { Endpoint, keptSecrets, secretPlace, subscribes } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"

/** The name of the table of endpoints, which claims of deliveries join. */
export const ENDPOINT_TABLE = "webhook_endpoint"

/** Endpoints over a `MemoryDatabase`. */
export const layerEndpointStore = layerMemory(EndpointStore)((database) => {
  const endpoints = database.table<Endpoint>(ENDPOINT_TABLE)
  const notDeletedOf = (id: OrganizationId) =>
    Effect.map(endpoints.all, (rows) => rows.filter((row) => row.organizationId === id && row.status !== "deleted"))
  const find: EndpointStore["Service"]["find"] = (organizationId, id) =>
    Effect.map(endpoints.get(id), (row) => (row?.organizationId === organizationId ? row : undefined))
  return {
    // Transactions of this database run one after another: each holds everything.
    hold: () => Effect.void,
    countActive: (organizationId) =>
      Effect.map(notDeletedOf(organizationId), (rows) => rows.filter((row) => row.status === "active").length),
    countKept: (organizationId, max) => Effect.map(notDeletedOf(organizationId), (rows) => Math.min(rows.length, max)),
    naming: (type, workspaces) =>
      Effect.map(endpoints.all, (rows) => {
        const naming = rows.filter((row) => row.status !== "deleted" && row.eventTypes.includes(type))
        const named = workspaces.filter(({ organizationId, workspaceId }) =>
          naming.some((row) => row.organizationId === organizationId && subscribes(row, { type, workspaceId }))
        )
        return new Set(named.map(({ workspaceId }) => workspaceId))
      }),
    insert: (endpoint) => endpoints.put(endpoint.id, endpoint),
    find,
    findToAct: find,
    findToChange: find,
    replace: (endpoint) => endpoints.put(endpoint.id, endpoint),
    list: (organizationId, page, { includeDeleted } = { includeDeleted: false }) =>
      Effect.map(endpoints.all, (rows) => {
        const listed = rows
          .filter((row) => row.organizationId === organizationId && (includeDeleted || row.status !== "deleted"))
          .filter((row) => page.before === undefined || row.id < page.before)
          .sort((a, b) => (a.id < b.id ? 1 : -1))
        return toPage(listed.slice(0, page.limit + 1), page.limit, (row) => row.id)
      }),
    sealedSecrets: (after, limit) =>
      Effect.map(endpoints.all, (rows) =>
        rows
          .flatMap((row) =>
            keptSecrets(row).map((sealed, index) => ({
              position: `${row.id}/${index}`,
              place: secretPlace(row.id),
              sealed
            }))
          )
          .filter(({ position }) => after === undefined || position > after)
          .sort((a, b) => (a.position < b.position ? -1 : 1))
          .slice(0, limit)
      ),
    replaceSealedSecret: Effect.fnUntraced(function* (value, resealed) {
      const [id = ""] = value.position.split("/")
      const row = yield* endpoints.get(id)
      if (row === undefined || !keptSecrets(row).includes(value.sealed)) return false
      yield* endpoints.put(row.id, Endpoint.withResealed(row, value.sealed, resealed))
      return true
    })
  }
})
