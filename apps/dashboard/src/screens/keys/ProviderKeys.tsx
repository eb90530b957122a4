import type { ProviderKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { providerKeysQuery, revokeProviderKey, validateProviderKey } from "../../api/providerKeys.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { KeyTabs } from "./KeyTabs.tsx"
import { ProviderKeyDialog } from "./ProviderKeyDialog.tsx"
import { providerColumns } from "./providerColumns.tsx"

/** The workspace's own keys of model providers. */
export const ProviderKeys = () => {
  const session = useSession()
  const queries = useQueryClient()
  const list = usePages(providerKeysQuery(session))
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<ProviderKey>()
  const [removed, setRemoved] = useState<ProviderKey>()
  const renew = () => queries.invalidateQueries({ queryKey: providerKeysQuery(session).queryKey })
  const check = useMutation({ mutationFn: (id: string) => validateProviderKey(session, id), onSettled: renew })
  const remove = useMutation({
    mutationFn: (id: string) => revokeProviderKey(session, id),
    onSuccess: async () => {
      setRemoved(undefined)
      await renew()
    }
  })
  const mayWrite = session.can("byok:write")
  const actions = (key: ProviderKey) => (
    <RowMenu
      name={key.name}
      items={
        !mayWrite || key.status === "revoked"
          ? []
          : [
              { label: "Check now", onSelect: () => check.mutate(key.id) },
              { label: "Change", onSelect: () => setChanged(key) },
              { label: "Remove", onSelect: () => setRemoved(key) }
            ]
      }
    />
  )
  return (
    <Screen
      title="Keys"
      bar={
        <>
          <KeyTabs />
          {mayWrite && (
            <Button kind="primary" onClick={() => setNew(true)}>
              <Icon name="plus" />
              Add a provider key
            </Button>
          )}
        </>
      }
    >
      {check.error && (
        <div className="p-4">
          <ProblemNotice error={check.error} />
        </div>
      )}
      <List
        label="Provider keys"
        list={list}
        columns={providerColumns(actions)}
        keyOf={({ id }) => id}
        empty={<Empty sentence="This workspace has no provider key yet: agents call models with one." />}
      />
      {isNew && <ProviderKeyDialog kind="workspace" onSaved={renew} onClose={() => setNew(false)} />}
      {changed && (
        <ProviderKeyDialog kind="workspace" before={changed} onSaved={renew} onClose={() => setChanged(undefined)} />
      )}
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`Remove ${removed?.name ?? ""}?`}
        action="Remove"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => removed && remove.mutate(removed.id)}
      >
        It is erased, and no agent calls a model with it any more.
      </Confirm>
    </Screen>
  )
}
