import type { WorkspaceId } from "@agent-platform/kernel"

/** Raised when a call of the workspace was settled while others waited under its cap. */
export const spendFreed = (workspaceId: WorkspaceId): string => `billing.spend_freed/${workspaceId}`
