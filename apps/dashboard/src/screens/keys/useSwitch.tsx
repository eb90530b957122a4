import type { ApiKey } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type KeyKind, keysQuery, updateKey } from "../../api/keys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"

/** Switches keys off and on. */
export const useSwitch = (kind: KeyKind) => {
  const session = useSession()
  const queries = useQueryClient()
  const { error, mutate } = useMutation({
    mutationFn: ([key, status]: readonly [ApiKey, "active" | "disabled"]) =>
      updateKey(session, kind, key.id, { status }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(session, kind).queryKey })
  })
  return {
    turn: (key: ApiKey, status: "active" | "disabled") => mutate([key, status]),
    notice: error && (
      <div className="p-4">
        <ProblemNotice error={error} />
      </div>
    )
  }
}
