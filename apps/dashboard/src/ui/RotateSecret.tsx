import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { FormDialog } from "./FormDialog.tsx"
import { GRACES, type Grace } from "./graces.ts"
import { SecretDialog } from "./SecretDialog.tsx"
import { SelectField } from "./Select.tsx"

interface RotateSecretProps {
  readonly title: string
  readonly description: string
  /** Says what the old one does during its time of grace, and for how long unless another is chosen. */
  readonly grace: { readonly label: string; readonly usual: Grace }
  /** Makes the new secret, after which the old one works for so many seconds more; null where the answer that held it was lost. */
  readonly rotate: (graceSeconds: number) => Promise<string | null>
  readonly onRotated?: () => unknown
  /** The title above the new secret, and what to do with it. */
  readonly made: { readonly title: string; readonly sentence: string }
  readonly onClose: () => void
}

/** Puts a new secret in the place of an old one, and shows it this once. */
export const RotateSecret = (props: RotateSecretProps) => {
  const { description, made, onClose, onRotated, title } = props
  const [grace, setGrace] = useState<Grace>(props.grace.usual)
  const [secret, setSecret] = useState<string | null>()
  const rotate = useMutation({
    mutationFn: async () => {
      setSecret(await props.rotate(Number(grace)))
    },
    onSuccess: () => onRotated?.()
  })
  if (secret !== undefined) return <SecretDialog {...made} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      title={title}
      description={description}
      action="Rotate"
      pending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <SelectField label={props.grace.label} value={grace} choices={GRACES} onChange={setGrace} />
    </FormDialog>
  )
}
