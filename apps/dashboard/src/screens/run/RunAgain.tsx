import type { Run } from "@agent-platform/client"
import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { RunDialog } from "../agents/RunDialog.tsx"
import { useAgentNames } from "../agents/useAgentNames.ts"
import type { RunDraft } from "../agents/useTrigger.ts"

const draftOf = ({ input, prompt }: Run): RunDraft => ({
  message: prompt ?? "",
  input: input === null || input === undefined ? "" : jsonText(input)
})

/** Opens a form with all that was sent to a run, to send it to its agent once more. */
export const RunAgain = ({ run }: { readonly run: Run }) => {
  const [isOpen, setOpen] = useState(false)
  const name = useAgentNames().get(run.agent_id) ?? run.agent_id.slice(-8)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Run again</Button>
      {isOpen && (
        <RunDialog
          title="Run again"
          agents={[{ agent_id: run.agent_id, name }]}
          draft={draftOf(run)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
