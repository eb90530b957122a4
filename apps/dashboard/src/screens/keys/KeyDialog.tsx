import type { ApiKey, CreatedApiKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { createKey, type KeyKind, keysQuery, updateKey } from "../../api/keys.ts"
import type { Scope } from "../../session/Session.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { readTrial } from "../../session/startLink.ts"
import { CheckList } from "../../ui/CheckList.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"
import { type Life, lifeSeconds, livesFor } from "./lives.ts"
import { MadeKey } from "./MadeKey.tsx"
import { givenByDefault, grantable, RIGHT_WORDS, rightSets } from "./rights.ts"

interface KeyDialogProps {
  readonly kind: KeyKind
  /** The key that is changed; absent for a new one. */
  readonly before?: ApiKey
  readonly onClose: () => void
}

/** Makes a key, whose value is shown this once, or changes one. */
export const KeyDialog = ({ before, kind, onClose }: KeyDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const rights = grantable(session, kind)
  // A new key without networks of its own has those of the key that makes it.
  const isMadeByKey = before === undefined && session.me.auth.method !== "oauth_session"
  const [name, setName] = useState(before?.name ?? "")
  const [scopes, setScopes] = useState<ReadonlyArray<Scope>>(before?.scopes ?? givenByDefault(rights))
  const [networks, setNetworks] = useState(before?.allowed_ips.join(", ") ?? "")
  const [limit, setLimit] = useState(before?.rate_limit?.limit.toString() ?? "")
  const [windowSeconds, setWindowSeconds] = useState(before?.rate_limit?.window_seconds.toString() ?? "60")
  const trial = readTrial()
  const [life, setLife] = useState<Life>("longest")
  // In the dialog, and not in a cache, so that closing it forgets the value.
  const [made, setMade] = useState<CreatedApiKey>()
  const save = useMutation({
    mutationFn: async () => {
      const allowed = networks.split(/[\s,]+/).filter((network) => network !== "")
      const rate_limit = limit.trim() === "" ? null : { limit: Number(limit), window_seconds: Number(windowSeconds) }
      if (before !== undefined) {
        await updateKey(session, kind, before.id, { name, scopes, allowed_ips: allowed, rate_limit })
        return onClose()
      }
      const created = await createKey(session, kind, {
        name,
        scopes,
        rate_limit,
        ...(allowed.length === 0 ? {} : { allowed_ips: allowed }),
        ...lifeSeconds(life)
      })
      setMade(created)
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(session, kind).queryKey })
  })
  if (made !== undefined) return <MadeKey made={made} onClose={onClose} />
  return (
    <FormDialog
      title={before === undefined ? "New key" : `Change ${before.name}`}
      action={before === undefined ? "Create the key" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={name.trim() !== "" && scopes.length > 0}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        member="name"
        required
        maxLength={100}
        value={name}
        onChange={setName}
        hint="Who or what calls with it"
      />
      {before === undefined && (
        <SelectField
          label="Ends"
          value={life}
          choices={livesFor(session, Date.now())}
          onChange={setLife}
          {...(trial === undefined
            ? {}
            : {
                hint: (
                  <>
                    This page was opened by the link of npm start: its key ends 12 hours later, and keys made here end
                    then, too. For a key that lasts, sign in with the org_key in{" "}
                    <code className="font-mono break-all">{trial.credentials_file}</code>
                  </>
                )
              })}
        />
      )}
      <CheckList
        label="Rights"
        member="scopes"
        choices={[...new Set([...rights, ...(before?.scopes ?? [])])].map((scope) => ({
          value: scope,
          label: scope,
          detail: RIGHT_WORDS[scope]
        }))}
        sets={rightSets(rights)}
        chosen={scopes}
        onChange={setScopes}
      />
      <TextField
        label="Networks"
        member="allowed_ips"
        value={networks}
        onChange={setNetworks}
        placeholder="203.0.113.0/24, 2001:db8::/32"
        hint={`The key works from these alone. Leave empty: ${isMadeByKey ? "those of your own key" : "from everywhere"}`}
        spellCheck={false}
      />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Requests at most"
          member="rate_limit/limit"
          inputMode="numeric"
          pattern="[0-9]*"
          value={limit}
          onChange={setLimit}
          hint="Leave empty: no limit of its own"
        />
        <TextField
          label="Within (seconds)"
          member="rate_limit/window_seconds"
          inputMode="numeric"
          pattern="[0-9]+"
          required={limit.trim() !== ""}
          value={windowSeconds}
          onChange={setWindowSeconds}
        />
      </div>
    </FormDialog>
  )
}
