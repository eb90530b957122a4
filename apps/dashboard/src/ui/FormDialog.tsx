import { type ReactNode, useState } from "react"
import { Button } from "./Button.tsx"
import { Confirm } from "./Confirm.tsx"
import { Dialog, footClasses } from "./Dialog.tsx"
import { Form } from "./Form.tsx"

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

/**
 * A form over the page, open for as long as it is rendered. It shows why what was written was not taken, at the box where there is one.
 * Escape or a click beside it closes it: after a question if something was written, and not at all while it is being sent.
 */
export const FormDialog = (props: FormDialogProps) => {
  const { action, children, description, error, onClose, onSubmit, pending, ready = true, title } = props
  const [isWritten, setWritten] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        // The answer to what is being sent belongs here.
        if (open || pending) return
        isWritten ? setLeaving(true) : onClose()
      }}
      title={title}
      {...(description === undefined ? {} : { description })}
    >
      <Form
        error={error}
        actionsClassName={footClasses}
        onWrite={() => setWritten(true)}
        onSubmit={() => !pending && ready && onSubmit()}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" disabled={pending || !ready}>
              {action}
            </Button>
          </>
        }
      >
        {children}
      </Form>
      <Confirm
        open={isLeaving}
        onOpenChange={setLeaving}
        title="Discard what was written?"
        action="Discard"
        pending={false}
        error={null}
        onConfirm={onClose}
      >
        It was not sent, and is lost with the form.
      </Confirm>
    </Dialog>
  )
}
