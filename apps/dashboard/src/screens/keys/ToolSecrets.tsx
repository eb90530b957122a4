import type { ToolSecret } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { deleteToolSecret, toolSecretsQuery } from "../../api/toolSecrets.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { KeyTabs } from "./KeyTabs.tsx"
import { ToolSecretDialog } from "./ToolSecretDialog.tsx"
import { toolSecretColumns } from "./toolSecretColumns.tsx"

/** The secrets that tools of the workspace's agents are called with. */
export const ToolSecrets = () => {
  const session = useSession()
  const queries = useQueryClient()
  const list = usePages(toolSecretsQuery(session))
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<ToolSecret>()
  const [removed, setRemoved] = useState<ToolSecret>()
  const renew = () => queries.invalidateQueries({ queryKey: toolSecretsQuery(session).queryKey })
  const remove = useMutation({
    mutationFn: (id: string) => deleteToolSecret(session, id),
    onSuccess: async () => {
      setRemoved(undefined)
      await renew()
    }
  })
  const mayWrite = session.can("tool_secrets:write")
  const actions = (secret: ToolSecret) => (
    <RowMenu
      name={secret.name}
      items={
        mayWrite
          ? [
              { label: "Change", onSelect: () => setChanged(secret) },
              { label: "Delete", onSelect: () => setRemoved(secret) }
            ]
          : []
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
              Add a tool secret
            </Button>
          )}
        </>
      }
    >
      <List
        label="Tool secrets"
        list={list}
        columns={toolSecretColumns(actions)}
        keyOf={({ id }) => id}
        empty={
          <Empty sentence="This workspace has no tool secret yet: agents call tools with one, and never see it." />
        }
      />
      {isNew && <ToolSecretDialog kind="workspace" onSaved={renew} onClose={() => setNew(false)} />}
      {changed && (
        <ToolSecretDialog kind="workspace" before={changed} onSaved={renew} onClose={() => setChanged(undefined)} />
      )}
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`Delete ${removed?.name ?? ""}?`}
        action="Delete"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => removed && remove.mutate(removed.id)}
      >
        Its value is erased, and tools are called without it from now on.
      </Confirm>
    </Screen>
  )
}
