import { RunDialog } from "./RunDialog.tsx"
import { useAgentsToRun } from "./useAgentsToRun.ts"

interface NewRunDialogProps {
  /** The agent that is wanted, if any. */
  readonly agentId: string | undefined
  readonly onClose: () => void
}

/** Triggers a run of any agent by hand, and leads to it. */
export const NewRunDialog = ({ agentId, onClose }: NewRunDialogProps) => (
  <RunDialog title="New run" agents={useAgentsToRun(agentId) ?? []} onClose={onClose} />
)
