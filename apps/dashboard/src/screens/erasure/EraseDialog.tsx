import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type ErasureSubject, erase, erasurePreviewQuery } from "../../api/erasures.ts"
import { SESSION_KEY, useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, footClasses } from "../../ui/Dialog.tsx"
import { TextField } from "../../ui/Field.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Counts } from "./Counts.tsx"
import { Progress } from "./Progress.tsx"

interface EraseDialogProps {
  readonly subject: ErasureSubject
  readonly name: string
  readonly onErased: () => void
  readonly onClose: () => void
}

const SENTENCES: Readonly<Record<ErasureSubject["kind"], string>> = {
  run: "The run goes with its log, events, deliveries and notices. One that has not ended is cancelled first.",
  session: "The session goes with all of its runs.",
  agent: "The agent goes with its settings, its inbound address and all of its runs.",
  workspace: "The workspace goes with everything in it: agents, runs, keys. Its keys stop working at once."
}

/** Says what would go, asks once more, and shows how far it has come. */
export const EraseDialog = ({ name, onClose, onErased, subject }: EraseDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [typed, setTyped] = useState("")
  const preview = useQuery(erasurePreviewQuery(session, subject))
  const act = useMutation({ mutationFn: () => erase(session, subject) })
  const close = () => {
    onClose()
    if (act.data === undefined) return
    onErased()
    // Things may be gone from every list; only who is signed in is still the same.
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] })
  }
  // A workspace goes with everybody's work in it: its name says that this one is meant.
  const isMeant = subject.kind !== "workspace" || typed === name
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={`Erase ${name}?`}
      description={SENTENCES[subject.kind]}
    >
      {act.data !== undefined ? (
        <Progress first={act.data} onDone={close} />
      ) : (
        <div className="flex flex-col gap-3">
          {preview.data && <Counts label="Goes for good" counts={Object.entries(preview.data)} />}
          {subject.kind === "workspace" && (
            <TextField
              label="Name of the workspace"
              hint="Write it to say that it is this one"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={setTyped}
            />
          )}
          <p>It cannot be undone.</p>
          <ProblemNotice error={act.error ?? preview.error} />
          <div className={footClasses}>
            <Button onClick={close}>Keep</Button>
            <Button
              kind="danger"
              disabled={preview.data === undefined || act.isPending || !isMeant}
              onClick={() => act.mutate()}
            >
              Erase for good
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
