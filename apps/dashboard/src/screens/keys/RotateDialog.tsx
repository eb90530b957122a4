import type { ApiKey } from "@agent-platform/client"
import { useQueryClient } from "@tanstack/react-query"
import { type KeyKind, keysQuery, rotateKey } from "../../api/keys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { RotateSecret } from "../../ui/RotateSecret.tsx"

interface RotateDialogProps {
  readonly kind: KeyKind
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

/** Gives a key a new value, and says for how long the old one works on. */
export const RotateDialog = ({ apiKey, kind, onClose }: RotateDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return (
    <RotateSecret
      title={`Rotate ${apiKey.name}`}
      description="A key with another value takes its place."
      grace={{ label: "The old value works", usual: "3600" }}
      rotate={async (graceSeconds) => (await rotateKey(session, kind, apiKey.id, graceSeconds)).new.key}
      onRotated={() => queries.invalidateQueries({ queryKey: keysQuery(session, kind).queryKey })}
      made={{ title: `The new value of ${apiKey.name}`, sentence: "Put it where the old one is, before that ends." }}
      onClose={onClose}
    />
  )
}
