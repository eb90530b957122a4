import type { ProviderKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { providerKeysQuery, revokeProviderKey, validateProviderKey } from "../../api/providerKeys.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { KeptList } from "./KeptList.tsx"
import { ProviderKeyDialog } from "./ProviderKeyDialog.tsx"
import { providerColumns, providerName, undecidedOf } from "./providerColumns.tsx"

/** How the provider has answered about a key just now. */
const answerOf = (key: ProviderKey): string => {
  const undecided = undecidedOf(key)
  if (undecided !== undefined) return `${key.name}: ${undecided}.`
  const name = providerName(key.provider)
  return `${key.name}: ${key.status === "invalid" ? `${name} refuses the key` : `${name} takes the key`}.`
}

/** The workspace's own keys of model providers. */
export const ProviderKeys = () => {
  const session = useSession()
  const queries = useQueryClient()
  const renew = () => queries.invalidateQueries({ queryKey: providerKeysQuery(session).queryKey })
  const check = useMutation({ mutationFn: (id: string) => validateProviderKey(session, id), onSettled: renew })
  return (
    <KeptList
      label="Provider keys"
      list={usePages(providerKeysQuery(session))}
      columns={providerColumns}
      empty="This workspace has no provider key yet: agents call models with one."
      add="Add a provider key"
      mayWrite={session.can("byok:write")}
      isOver={({ status }) => status === "revoked"}
      actions={({ id }) => [{ label: "Check now", onSelect: () => check.mutate(id) }]}
      dialog={(changed, onClose) => (
        <ProviderKeyDialog kind="workspace" {...(changed && { before: changed })} onSaved={renew} onClose={onClose} />
      )}
      removal={{
        thing: "key",
        word: "Remove",
        effect: "It is erased, and no agent calls a model with it any more.",
        remove: (id) => revokeProviderKey(session, id),
        onRemoved: renew
      }}
    >
      {check.error && (
        <div className="p-4">
          <ProblemNotice error={check.error} />
        </div>
      )}
      <p role="status" className="p-4 empty:hidden">
        {check.isPending ? "Asking the provider…" : check.data && answerOf(check.data)}
      </p>
    </KeptList>
  )
}
