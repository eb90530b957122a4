import type { Agent } from "@agent-platform/client"
import { useState } from "react"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"
import { RunFields } from "./RunFields.tsx"
import { EMPTY_RUN, isWritten, type RunDraft, useTrigger } from "./useTrigger.ts"

interface RunDialogProps {
  readonly title: string
  /** The agents to choose among; the first one unless another is chosen. */
  readonly agents: ReadonlyArray<Pick<Agent, "agent_id" | "name">>
  /** The text that the boxes begin with. */
  readonly draft?: RunDraft
  readonly onClose: () => void
}

/** Triggers a run by hand, and leads to it. */
export const RunDialog = ({ agents, draft: before = EMPTY_RUN, onClose, title }: RunDialogProps) => {
  const [chosen, setAgentId] = useState<string>()
  const agentId = chosen ?? agents[0]?.agent_id ?? ""
  const [draft, setDraft] = useState(before)
  const run = useTrigger()
  return (
    <FormDialog
      title={title}
      description="It gets a session of its own."
      action="Run"
      pending={run.isPending}
      ready={isWritten(draft)}
      error={run.error}
      onSubmit={() => run.mutate({ agentId, draft }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <SelectField
        label="Agent"
        value={agentId}
        choices={agents.map(({ agent_id, name }) => ({ value: agent_id, label: name }))}
        onChange={setAgentId}
      />
      <RunFields draft={draft} onChange={setDraft} />
    </FormDialog>
  )
}
