import { useQueryClient } from "@tanstack/react-query"
import { deleteToolSecret, toolSecretsQuery } from "../../api/toolSecrets.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { KeptList } from "./KeptList.tsx"
import { ToolSecretDialog } from "./ToolSecretDialog.tsx"
import { toolSecretColumns } from "./toolSecretColumns.tsx"

/** The secrets that tools of the workspace's agents are called with. */
export const ToolSecrets = () => {
  const session = useSession()
  const queries = useQueryClient()
  const renew = () => queries.invalidateQueries({ queryKey: toolSecretsQuery(session).queryKey })
  return (
    <KeptList
      label="Tool secrets"
      list={usePages(toolSecretsQuery(session))}
      columns={toolSecretColumns}
      empty="This workspace has no tool secret yet: agents call tools with one, and never see it."
      add="Add a tool secret"
      mayWrite={session.can("tool_secrets:write")}
      dialog={(changed, onClose) => (
        <ToolSecretDialog kind="workspace" {...(changed && { before: changed })} onSaved={renew} onClose={onClose} />
      )}
      removal={{
        thing: "secret",
        word: "Delete",
        effect: "Its value is erased, and tools are called without it from now on.",
        remove: (id) => deleteToolSecret(session, id),
        onRemoved: renew
      }}
    />
  )
}
