import type { ProviderKey } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { KeyKind } from "../../api/keys.ts"
import { registerProviderKey, updateProviderKey } from "../../api/providerKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Check } from "../../ui/CheckList.tsx"
import { Dialog, footClasses } from "../../ui/Dialog.tsx"
import { TextField, UrlField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"
import { FALLBACKS, PROVIDERS, providerName, undecidedOf } from "./providerColumns.tsx"

interface ProviderKeyDialogProps {
  /** For the workspace, or for all workspaces of the organization. */
  readonly kind: KeyKind
  /** The key that is changed; absent for a new one. */
  readonly before?: Pick<ProviderKey, "id" | "version" | "provider" | "name" | "base_url" | "priority" | "fallback">
  /** Reads the keys anew. */
  readonly onSaved: () => unknown
  readonly onClose: () => void
}

const NEEDS_URL: ReadonlyArray<ProviderKey["provider"]> = ["azure", "bedrock", "vertex", "openai_compatible"]

type Saved = Pick<ProviderKey, "name" | "provider" | "last_validated_at"> & {
  readonly last_error?: ProviderKey["last_error"]
}

/** Says that a saved key is not known to work, where its provider was asked and did not decide; undefined where it took the key. */
const doubtOf = (saved: Saved): string | undefined => {
  if (saved.last_validated_at !== null) return undefined
  const undecided = undecidedOf(saved)
  // The only other error of a key that was saved is a limit, and a key that is limited is taken.
  if (saved.last_error && undecided === undefined) return undefined
  return `${undecided ?? `${providerName(saved.provider)} gave no answer about it`}. The key is kept all the same, and not known to work.`
}

/** Adds a key of a provider, or changes one. The value is sent and kept nowhere in the page. */
export const ProviderKeyDialog = ({ before, kind, onClose, onSaved }: ProviderKeyDialogProps) => {
  const session = useSession()
  const [provider, setProvider] = useState<ProviderKey["provider"]>(before?.provider ?? "openai")
  const [name, setName] = useState(before?.name ?? "")
  const [key, setKey] = useState("")
  const [url, setUrl] = useState(before?.base_url ?? "")
  const [priority, setPriority] = useState(String(before?.priority ?? 100))
  const [fallback, setFallback] = useState<ProviderKey["fallback"]>(before?.fallback ?? "none")
  const [validate, setValidate] = useState(true)
  const [doubt, setDoubt] = useState<string>()
  const save = useMutation({
    mutationFn: async (): Promise<Saved | undefined> => {
      const common = { priority: Number(priority), fallback }
      if (before === undefined) {
        const base = NEEDS_URL.includes(provider) ? { base_url: url.trim() } : {}
        const added = await registerProviderKey(session, kind, {
          ...common,
          provider,
          ...base,
          key: key.trim(),
          name: name || null,
          validate
        })
        return validate ? added : undefined
      }
      const value = key.trim() === "" ? undefined : { key: key.trim(), validate }
      const changed = await updateProviderKey(session, kind, before, { ...common, ...value, name })
      return value?.validate ? changed : undefined
    },
    onSuccess: (asked) => {
      const newDoubt = asked && doubtOf(asked)
      if (newDoubt === undefined) onClose()
      else setDoubt(newDoubt)
      return onSaved()
    }
  })
  if (doubt !== undefined) {
    return (
      <Dialog open onOpenChange={(open) => !open && onClose()} title="The key is not checked" description={doubt}>
        <div className={footClasses} data-first>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={before === undefined ? "Add a provider key" : `Change ${before.name}`}
      action={before === undefined ? "Add the key" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={before !== undefined || key.trim() !== ""}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {before === undefined && (
        <SelectField label="Provider" value={provider} choices={PROVIDERS} onChange={setProvider} />
      )}
      <TextField label="Name" member="name" maxLength={100} value={name} onChange={setName} />
      <TextField
        label={before === undefined ? "Key" : "New value"}
        member="key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        onChange={setKey}
        hint={
          before === undefined
            ? "It is sealed, and never shown again; for Vertex AI the key file in base64"
            : "Leave empty: the present one stays"
        }
      />
      {before === undefined && NEEDS_URL.includes(provider) && (
        <UrlField label="Base URL" member="base_url" required value={url} onChange={setUrl} />
      )}
      <TextField
        label="Priority"
        member="priority"
        inputMode="numeric"
        pattern="[0-9]+"
        required
        value={priority}
        onChange={setPriority}
        hint="Of several keys the lowest goes first"
      />
      <SelectField label="If no key works" value={fallback} choices={FALLBACKS} onChange={setFallback} />
      <Check label="Ask the provider first whether it takes the key" checked={validate} onChange={setValidate} />
    </FormDialog>
  )
}
