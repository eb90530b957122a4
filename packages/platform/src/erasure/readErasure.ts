import {
  type ErasureId,
  ErasureNotFound,
  ErasureStore,
  type OrganizationId,
  type WorkspaceId
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"

/** An erasure of the organization. Fails with ErasureNotFound. */
export const findErasure = Effect.fnUntraced(function* (organizationId: OrganizationId, id: ErasureId) {
  const found = yield* ErasureStore.use((store) => store.find(organizationId, id))
  return found ?? (yield* new ErasureNotFound())
})

/**
 * An erasure, and how far it has come. A caller of one workspace reads erasures in that workspace; a caller who speaks for the
 * organization reads all of the organization's. Fails with ErasureNotFound.
 */
export const readErasure = useCase("platform.readErasure")(function* (query: {
  readonly organizationId: OrganizationId
  /** The workspace that the caller is bound to; undefined for one who speaks for the organization. */
  readonly within: WorkspaceId | undefined
  readonly id: ErasureId
}) {
  const erasure = yield* findErasure(query.organizationId, query.id)
  return query.within === undefined || erasure.workspaceId === query.within ? erasure : yield* new ErasureNotFound()
})
