import type { ReactNode } from "react"
import { Button } from "./Button.tsx"
import { Copy } from "./Copy.tsx"
import { Dialog, footClasses } from "./Dialog.tsx"

interface SecretDialogProps {
  readonly title: string
  /** Null where the answer that held it was lost on the way: nobody can read it any more. */
  readonly secret: string | null
  /** Where it belongs now, in a sentence. */
  readonly sentence: string
  /** A second one that belongs to it. */
  readonly also?: { readonly label: string; readonly secret: string }
  /** Shown below it. */
  readonly children?: ReactNode
  readonly onClose: () => void
}

const Value = ({ label, text }: { readonly text: string; readonly label: string }) => (
  <div data-first className="flex items-start gap-2 rounded-md border border-line bg-panel p-2">
    <code className="min-w-0 flex-1 font-mono text-sm break-all">{text}</code>
    <Copy text={text} label={label} />
  </div>
)

/** Shows a secret, this once: closing the dialog forgets it. */
export const SecretDialog = ({ also, children, onClose, secret, sentence, title }: SecretDialogProps) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title={title} description={sentence}>
    <div className="flex flex-col gap-3">
      {secret === null ? (
        <p role="alert" className="rounded-md bg-warn-tint p-3">
          It was made, and the answer that held its value was lost. Rotate it to get another value.
        </p>
      ) : (
        <Value text={secret} label="Copy the secret" />
      )}
      {also !== undefined && (
        <>
          <p className="font-medium">{also.label}</p>
          <Value text={also.secret} label="Copy the second secret" />
        </>
      )}
      {children}
      <p className="text-muted">It is shown this once, and cannot be read again.</p>
      <div className={footClasses}>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  </Dialog>
)
