import { AlertDialog } from "@base-ui/react/alert-dialog"
import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { backdropClasses, popupClasses } from "./Dialog.tsx"
import { ProblemNotice } from "./ProblemNotice.tsx"

interface ConfirmProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** The consequence, in a sentence. */
  readonly children: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly pending: boolean
  readonly error: unknown
  readonly onConfirm: () => void
}

/** Asks before what cannot be taken back. It stays open until that has been done, and shows why it was not. */
export const Confirm = ({ action, children, error, onConfirm, onOpenChange, open, pending, title }: ConfirmProps) => (
  <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className={backdropClasses} />
      <AlertDialog.Popup className={popupClasses}>
        <div className="grid gap-3 p-4">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-muted">{children}</AlertDialog.Description>
          <ProblemNotice error={error} />
          <div className="flex justify-end gap-2">
            <AlertDialog.Close render={<Button />}>Keep</AlertDialog.Close>
            <Button kind="danger" disabled={pending} onClick={onConfirm}>
              {action}
            </Button>
          </div>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
)
