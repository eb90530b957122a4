import type { ApiKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { type KeyKind, revokeKey } from "../../api/keys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Check } from "../../ui/CheckList.tsx"
import { Confirm } from "../../ui/Confirm.tsx"

interface RevokeDialogProps {
  readonly kind: KeyKind
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Ends a key for good. */
export const RevokeDialog = ({ apiKey, kind, onClose }: RevokeDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [descendants, setDescendants] = useState(false)
  const revoke = useMutation({
    mutationFn: () => revokeKey(session, kind, apiKey.id, descendants),
    onSuccess: async () => {
      onClose()
      // Keys of both kinds may have been made with it.
      await queries.invalidateQueries({ queryKey: ["keys"] })
    }
  })
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke the key ${apiKey.name}?`}
      action="Revoke"
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
    >
      {session.me.auth.key_id === apiKey.id
        ? "It is the key of this page: you are signed out at once. "
        : "From its next request on it is refused, for good. "}
      <Check label="Also revoke the keys that were made with it" checked={descendants} onChange={setDescendants} />
    </Confirm>
  )
}
