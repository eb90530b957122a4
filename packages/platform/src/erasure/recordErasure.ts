import { type Erasure, recordActivity } from "@agent-platform/kernel"

const ACTS = {
  erasure_requested: "asked for the erasure of",
  erased: "erased"
}

/**
 * The entry of an erasure that is asked for, or done, in the feed of the workspace, or of the organization where the workspace's own
 * goes. It names nobody, and stays.
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
