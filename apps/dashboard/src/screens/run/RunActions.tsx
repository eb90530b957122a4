import type { Run } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { EraseButton } from "../erasure/EraseButton.tsx"
import { waitsForAnswer } from "../runs/filters.ts"
import { CancelSession } from "./CancelSession.tsx"
import { RunAgain } from "./RunAgain.tsx"
import { isOver } from "./runState.ts"

const CancelButton = ({ run }: { readonly run: Run }) => {
  const isPaused = waitsForAnswer(run)
  const isAsked = run.cancel_requested_at !== null
  return (
    <CancelSession
      sessionId={run.session_id}
      mode={isAsked ? "immediate" : "graceful"}
      what="run"
      word={isPaused ? "Close the question" : isAsked ? "End at once" : "Cancel"}
      consequence={
        isPaused
          ? "Nobody can answer it any more, and all that its session has under way is cancelled."
          : "All that the session has under way is cancelled. A run that executes may clean up for ten seconds."
      }
    />
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
  const navigate = useNavigate()
  return (
    <>
      {isOver(run) && <RecordButton run={run} />}
      {isOver(run) && run.resumes_run_id === null && can("runs:write") && <RunAgain run={run} />}
      {can("runs:write") && (!isOver(run) || waitsForAnswer(run)) && <CancelButton run={run} />}
      <EraseButton
        subject={{ kind: "run", id: run.run_id }}
        name={`run ${run.run_id.slice(-8)}`}
        onErased={() => void navigate({ to: "/runs" })}
      />
    </>
  )
}
