import type { ApiKey } from "@agent-platform/client"
import { useState } from "react"
import { type KeyKind, keysQuery } from "../../api/keys.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import type { MenuItem } from "../../ui/Menu.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { columns } from "./columns.tsx"
import { KeyDialog } from "./KeyDialog.tsx"
import { KeyTabs } from "./KeyTabs.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RevokeOthers } from "./RevokeOthers.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { useSwitch } from "./useSwitch.tsx"

/** The dialog that is open, with the key that it is about. */
type Open = { readonly is: "new" | "others" } | { readonly is: "change" | "rotate" | "revoke"; readonly apiKey: ApiKey }

const SENTENCES: Readonly<Record<KeyKind, string>> = {
  workspace: "This workspace has no key yet: programs call with one.",
  organization: "The organization has no key yet: programs manage its workspaces and webhooks with one."
}

const Keys = ({ kind }: { readonly kind: KeyKind }) => {
  const session = useSession()
  const [open, setOpen] = useState<Open>()
  const { notice, turn } = useSwitch(kind)
  const mayWrite = session.can(kind === "workspace" ? "keys:write" : "org:admin")
  const list = usePages(keysQuery(session, kind))
  const close = () => setOpen(undefined)
  const actionsOf = (apiKey: ApiKey): ReadonlyArray<MenuItem> => {
    const { status } = apiKey
    if (!mayWrite || status === "revoked" || status === "expired") return []
    const revoke = { label: "Revoke", onSelect: () => setOpen({ is: "revoke", apiKey }) }
    if (status === "rotating") return [revoke]
    if (status === "disabled") return [{ label: "Switch on", onSelect: () => turn(apiKey, "active") }, revoke]
    return [
      { label: "Change", onSelect: () => setOpen({ is: "change", apiKey }) },
      { label: "Rotate", onSelect: () => setOpen({ is: "rotate", apiKey }) },
      { label: "Switch off", onSelect: () => turn(apiKey, "disabled") },
      revoke
    ]
  }
  // Everybody's programs call with these keys: only an owner, or a key of the organization, stops all of them.
  const { auth, user } = session.me
  const mayRevokeAll = mayWrite && (auth.method === "org_api_key" || user?.role === "owner")
  const create = mayWrite && (
    <Button kind="primary" onClick={() => setOpen({ is: "new" })}>
      <Icon name="plus" />
      New key
    </Button>
  )
  const actions = (apiKey: ApiKey) => <RowMenu name={apiKey.name} items={actionsOf(apiKey)} />
  return (
    <Screen
      title="Keys"
      bar={
        <>
          <KeyTabs />
          {mayRevokeAll && (list.rows?.length ?? 0) > 0 && (
            <Button kind="danger" onClick={() => setOpen({ is: "others" })}>
              Revoke all but this page's
            </Button>
          )}
          {create}
        </>
      }
    >
      {notice}
      <List
        label="Keys"
        list={list}
        columns={columns(actions, session.me.auth.key_id)}
        keyOf={({ id }) => id}
        empty={<Empty sentence={SENTENCES[kind]} />}
      />
      {open?.is === "new" && <KeyDialog kind={kind} onClose={close} />}
      {open?.is === "others" && <RevokeOthers kind={kind} onClose={close} />}
      {open?.is === "change" && <KeyDialog kind={kind} before={open.apiKey} onClose={close} />}
      {open?.is === "rotate" && <RotateDialog kind={kind} apiKey={open.apiKey} onClose={close} />}
      {open?.is === "revoke" && <RevokeDialog kind={kind} apiKey={open.apiKey} onClose={close} />}
    </Screen>
  )
}

/** The API keys of the workspace. */
export const WorkspaceKeys = () => <Keys kind="workspace" />

/** The API keys of the organization. */
export const OrganizationKeys = () => <Keys kind="organization" />
