import type { ApiKey } from "@agent-platform/client"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { type KeyKind, otherKeysQuery, revokeKey } from "../../api/keys.ts"
import { failureOf } from "../../api/problems.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog, footClasses } from "../../ui/Dialog.tsx"
import { count, counted } from "../../ui/numbers.ts"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"

interface RevokeOthersProps {
  readonly kind: KeyKind
  readonly onClose: () => void
}

interface Done {
  readonly revoked: number
  /** Those that are still there, each with why. */
  readonly failed: ReadonlyArray<{ readonly key: ApiKey; readonly why: string }>
}

/** Ends all keys of a list but those of this page, one after the other. Closing the dialog stops it. */
export const RevokeOthers = ({ kind, onClose }: RevokeOthersProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const { data: keys, error } = useQuery(otherKeysQuery(session, kind))
  const [done, setDone] = useState<Done>({ revoked: 0, failed: [] })
  const isClosed = useRef(false)
  useEffect(() => {
    // StrictMode unmounts a component once and keeps its refs.
    isClosed.current = false
    return () => {
      isClosed.current = true
    }
  }, [])
  const revoke = useMutation({
    mutationFn: async (all: ReadonlyArray<ApiKey>) => {
      for (const key of all) {
        if (isClosed.current) return
        const why = await revokeKey(session, kind, key.id, false).then(
          () => undefined,
          (problem: unknown) => failureOf(problem).detail
        )
        setDone(({ failed, revoked }) =>
          why === undefined ? { failed, revoked: revoked + 1 } : { failed: [...failed, { key, why }], revoked }
        )
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["keys"] })
  })
  // Once begun, the keys that it was begun with: the list is read anew at the end, without those that are revoked.
  const all = revoke.variables ?? keys ?? []
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Revoke all keys but this page's?">
      <div className="flex flex-col gap-3">
        <ProblemNotice error={error} />
        {revoke.isIdle && keys?.length === 0 && <p>There is no other key that could be used.</p>}
        {revoke.isIdle && keys !== undefined && keys.length > 0 && (
          <p>
            {counted(keys.length, "key")} of {kind === "workspace" ? "this workspace" : "the organization"}: whatever
            calls with {keys.length === 1 ? "it" : "one of them"} is refused from its next request on, for good.
          </p>
        )}
        <p role="status" className="empty:hidden">
          {!revoke.isIdle && `${count(done.revoked)} of ${counted(all.length, "key")} revoked.`}
        </p>
        {done.failed.length > 0 && (
          <div role="alert">
            <p className="text-bad">Not revoked:</p>
            <ul className="list-inside list-disc">
              {done.failed.map(({ key, why }) => (
                <li key={key.id} className="foreign">
                  {key.name} ({key.hint}): {why}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className={footClasses}>
          {revoke.isSuccess ? (
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          ) : (
            <>
              <Button onClick={onClose}>{revoke.isPending ? "Stop" : "Keep"}</Button>
              <Button
                kind="danger"
                disabled={keys === undefined || keys.length === 0 || revoke.isPending}
                onClick={() => keys && revoke.mutate(keys)}
              >
                Revoke {counted(all.length, "key")}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}
