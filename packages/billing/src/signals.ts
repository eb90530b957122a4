import type { WorkspaceId } from "@agent-platform/kernel"

/** Raised when a call of the workspace was settled while others waited for room under its cap. */
export const spendFreed = (workspaceId: WorkspaceId): string => `billing.spend_freed/${workspaceId}`
