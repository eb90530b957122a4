import type { ApiKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type KeyKind, keysQuery, rotateKey } from "../../api/keys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { GRACES, type Grace } from "../../ui/graces.ts"
import { SecretDialog } from "../../ui/SecretDialog.tsx"
import { Select } from "../../ui/Select.tsx"

interface RotateDialogProps {
  readonly kind: KeyKind
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Gives a key a new value, shown this once, and says for how long the old one works on. */
export const RotateDialog = ({ apiKey, kind, onClose }: RotateDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [grace, setGrace] = useState<Grace>("3600")
  const [secret, setSecret] = useState<string | null>()
  const rotate = useMutation({
    mutationFn: async () => {
      const made = await rotateKey(session, kind, apiKey.id, Number(grace))
      setSecret(made.new.key)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(session, kind).queryKey })
  })
  if (secret !== undefined) {
    return (
      <SecretDialog
        title={`The new value of ${apiKey.name}`}
        secret={secret}
        sentence="Put it where the old one is, before that ends."
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      description="A key with another value takes its place."
      action="Rotate"
      pending={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <div>
        <Select label="The old value works" value={grace} choices={GRACES} onChange={setGrace} />
      </div>
    </FormDialog>
  )
}
