import { type FormEvent, type ReactNode, useMemo, useState } from "react"
import { isAllAt } from "../api/problems.ts"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { FormFaultsContext } from "./formFaults.ts"
import { ProblemNotice } from "./ProblemNotice.tsx"

interface FormDialogProps {
  readonly title: string
  readonly description?: string
  /** The verb on the button. */
  readonly action: string
  readonly pending: boolean
  readonly error: unknown
  /** Whether what was written may be sent. */
  readonly ready?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form over the page. It stays open until it was taken, and shows why it was not: at the box where there is one. It is there while it is open. */
export const FormDialog = (props: FormDialogProps) => {
  const { action, children, description, error, onClose, onSubmit, pending, ready = true, title } = props
  const [members] = useState(() => new Set<string>())
  const faults = useMemo(() => ({ error, members }), [error, members])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!pending && ready) onSubmit()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      {...(description === undefined ? {} : { description })}
    >
      <form onSubmit={send} className="grid gap-3">
        <FormFaultsContext value={faults}>{children}</FormFaultsContext>
        {!isAllAt(error, members) && <ProblemNotice error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={pending || !ready}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
