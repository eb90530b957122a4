import type { Run } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { cancelSession, runQuery } from "../../api/runs.ts"
import { useShortcut } from "../../frame/shortcuts.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { isOver, waitsForAnswer } from "./runState.ts"

const CancelButton = ({ run }: { readonly run: Run }) => {
  const session = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const cancel = useMutation({
    mutationFn: () =>
      cancelSession(session, run.session_id, run.cancel_requested_at === null ? "graceful" : "immediate"),
    onSuccess: async () => {
      setOpen(false)
      await queries.invalidateQueries({ queryKey: runQuery(session, run.run_id).queryKey })
    }
  })
  useShortcut("c", "Cancel the run", () => setOpen(true))
  const isPaused = waitsForAnswer(run)
  const word = isPaused ? "Close the question" : run.cancel_requested_at === null ? "Cancel" : "End at once"
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        <Icon name="stop" />
        {word}
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={`${word}?`}
        action={word}
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        {isPaused
          ? "Nobody can answer it any more, and all that its session has under way is cancelled."
          : "All that the session has under way is cancelled. A run that executes may clean up for ten seconds."}
      </Confirm>
    </>
  )
}

const RecordButton = ({ run }: { readonly run: Run }) => {
  const { client } = useSession()
  const save = useMutation({
    mutationFn: async () => {
      const record = await client.runs.getRunRecord({ params: { run_id: run.run_id } })
      saveFile(`run-${run.run_id}.json`, "application/json", JSON.stringify(record, null, 2))
    }
  })
  return (
    <Button disabled={save.isPending} onClick={() => save.mutate()}>
      <Icon name="record" />
      Signed record
    </Button>
  )
}

/** The actions that a run's state and the reader's rights admit. */
export const RunActions = ({ run }: { readonly run: Run }) => {
  const { can } = useSession()
  return (
    <>
      {isOver(run) && <RecordButton run={run} />}
      {can("runs:write") && (!isOver(run) || waitsForAnswer(run)) && <CancelButton run={run} />}
    </>
  )
}
