import { type Erasure, recordActivity } from "@agent-platform/kernel"

const ACTS = {
  erasure_requested: "asked for the erasure of",
  erased: "erased"
}

/**
 * Records in the activity feed that an erasure was asked for, or is done: in the workspace's feed, or in the organization's if the workspace
 * itself is erased. The entry names no person, so that it can stay.
 */
export const recordErasure = (act: keyof typeof ACTS, erasure: Erasure) => {
  const { counts, id, kind, organizationId, requestedBy, subjectId, workspaceId } = erasure
  const label = requestedBy.type === "system" ? "admin" : "A caller"
  const article = kind === "agent" || kind === "organization" ? "an" : "a"
  const done = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count.done]))
  return recordActivity({
    organizationId,
    workspaceId,
    action: `${kind}.${act}`,
    actor: { ...requestedBy, label },
    summary: `${label} ${ACTS[act]} ${article} ${kind}`,
    resourceType: kind,
    resourceId: subjectId,
    payload: { erasure_id: id, ...(act === "erased" ? { counts: done } : {}) }
  })
}
