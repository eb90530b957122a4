import type { ToolSecret } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { KeyKind } from "../../api/keys.ts"
import { createToolSecret, updateToolSecret } from "../../api/toolSecrets.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { TextField, UrlField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"

interface ToolSecretDialogProps {
  /** For the workspace, or for all workspaces of the organization. */
  readonly kind: KeyKind
  /** The secret that is changed; absent for a new one. */
  readonly before?: Pick<ToolSecret, "id" | "version" | "name" | "host_pattern" | "oauth">
  /** Reads the secrets anew. */
  readonly onSaved: () => unknown
  readonly onClose: () => void
}

const SENT = [
  { value: "value", label: "The value itself" },
  { value: "oauth", label: "Access tokens of a client" }
] as const

type Sent = (typeof SENT)[number]["value"]

/** Adds a secret of a tool, or changes one. The value is sent and kept nowhere in the page. */
export const ToolSecretDialog = ({ before, kind, onClose, onSaved }: ToolSecretDialogProps) => {
  const session = useSession()
  const [what, setWhat] = useState<Sent>(before?.oauth ? "oauth" : "value")
  const [name, setName] = useState(before?.name ?? "")
  const [hosts, setHosts] = useState(before?.host_pattern ?? "")
  const [header, setHeader] = useState("Authorization")
  const [value, setValue] = useState("")
  const [tokenUrl, setTokenUrl] = useState("")
  const [clientId, setClientId] = useState(before?.oauth?.client_id ?? "")
  const [scope, setScope] = useState(before?.oauth?.scope ?? "")
  const isOAuth = what === "oauth"
  const scopes = scope.trim() === "" ? null : scope.trim()
  const save = useMutation({
    mutationFn: async () => {
      if (before === undefined) {
        const sent = isOAuth
          ? { oauth: { token_url: tokenUrl.trim(), client_id: clientId, client_secret: value, scope: scopes } }
          : { header: header.trim(), value }
        return createToolSecret(session, kind, { name, host_pattern: hosts.trim(), ...sent })
      }
      const fresh = value === "" ? {} : isOAuth ? { client_secret: value } : { value }
      const sent = isOAuth ? { oauth: { client_id: clientId, scope: scopes, ...fresh } } : fresh
      return updateToolSecret(session, kind, before, { name, ...sent })
    },
    onSuccess: () => {
      onClose()
      return onSaved()
    }
  })
  return (
    <FormDialog
      title={before === undefined ? "Add a tool secret" : `Change ${before.name}`}
      action={before === undefined ? "Add the secret" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={name.trim() !== "" && (before !== undefined || value !== "")}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {before === undefined && <SelectField label="What is sent" value={what} choices={SENT} onChange={setWhat} />}
      <TextField label="Name" member="name" required maxLength={100} value={name} onChange={setName} />
      {before === undefined && (
        <>
          <TextField
            label="Hosts"
            member="host_pattern"
            required
            spellCheck={false}
            placeholder="api.example.com"
            value={hosts}
            onChange={setHosts}
            hint="It is sent to these alone, such as *.example.com, and for good"
          />
          {isOAuth ? (
            <UrlField label="Token URL" member="oauth/token_url" required value={tokenUrl} onChange={setTokenUrl} />
          ) : (
            <TextField label="Header" member="header" required spellCheck={false} value={header} onChange={setHeader} />
          )}
        </>
      )}
      {isOAuth && (
        <>
          <TextField
            label="Client id"
            member="oauth/client_id"
            required
            spellCheck={false}
            value={clientId}
            onChange={setClientId}
          />
          <TextField
            label="Scopes"
            member="oauth/scope"
            spellCheck={false}
            value={scope}
            onChange={setScope}
            hint="Leave empty: those that the server gives"
          />
        </>
      )}
      <TextField
        label={isOAuth ? "Client secret" : "Value"}
        member={isOAuth ? "oauth/client_secret" : "value"}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={setValue}
        hint={before === undefined ? "It is sealed, and never shown again" : "Leave empty: the present one stays"}
      />
    </FormDialog>
  )
}
