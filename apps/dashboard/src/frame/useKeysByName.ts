import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type KeyKind, keysQuery } from "../api/keys.ts"
import { providerKeysQuery } from "../api/providerKeys.ts"
import { useSession } from "../session/SessionContext.tsx"
import type { Command } from "./useFound.ts"

/** The newest keys of a list that can still be used. */
const useNewestKeys = (kind: KeyKind, enabled: boolean) => {
  const { data } = useInfiniteQuery({ ...keysQuery(useSession(), kind), refetchInterval: false, enabled })
  return data?.pages[0]?.items.filter(({ status }) => status !== "revoked" && status !== "expired") ?? []
}

const useNewestProviderKeys = (enabled: boolean) => {
  const { data } = useInfiniteQuery({ ...providerKeysQuery(useSession()), enabled })
  return data?.pages[0]?.items.filter(({ status }) => status !== "revoked") ?? []
}

/** The newest keys, by name: each leads to its list. Asked for once something is searched. */
export const useKeysByName = (isAsked: boolean): ReadonlyArray<Command> => {
  const { can, workspace } = useSession()
  const navigate = useNavigate()
  const isInside = isAsked && workspace !== undefined
  const lists = [
    { to: "/keys", keys: useNewestKeys("workspace", isInside && can("keys:read")) },
    { to: "/keys/organization", keys: useNewestKeys("organization", isAsked && can("org:admin")) },
    { to: "/keys/providers", keys: useNewestProviderKeys(isInside && can("byok:read")) }
  ] as const
  return lists.flatMap(({ keys, to }) =>
    keys.map(({ hint, id, name }) => ({ value: id, label: `Key ${name} (${hint})`, run: () => void navigate({ to }) }))
  )
}
