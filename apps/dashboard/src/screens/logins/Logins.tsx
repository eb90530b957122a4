import type { LoginSession } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { endLoginSession, loginSessionsQuery } from "../../api/loginSessions.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession, useSessionActions } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { providerName } from "../login/providers.ts"

const columns = (action: (login: LoginSession) => ReactNode): ReadonlyArray<Column<LoginSession>> => [
  {
    id: "browser",
    title: "Browser",
    width: "minmax(200px, 1fr)",
    cell: ({ current, user_agent }) => (
      <span title={user_agent ?? ""}>
        {current && <span className="font-medium">This one · </span>}
        <span className="text-muted">{user_agent ?? "unknown"}</span>
      </span>
    )
  },
  { id: "provider", title: "Through", width: "100px", cell: ({ provider }) => providerName(provider) },
  { id: "ip", title: "From", width: "140px", cell: ({ ip }) => ip ?? "–" },
  {
    id: "seen",
    title: "Last used",
    width: "104px",
    numeric: true,
    cell: ({ last_seen_at }) => <Time at={last_seen_at} />
  },
  { id: "ends", title: "Ends", width: "104px", numeric: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  { id: "begun", title: "Begun", width: "104px", numeric: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: "actions", title: "Actions", width: "80px", cell: action }
]

const OwnLogins = () => {
  const session = useSession()
  const { renew } = useSessionActions()
  const queries = useQueryClient()
  const list = usePages(loginSessionsQuery(session))
  const [ended, setEnded] = useState<LoginSession>()
  const end = useMutation({
    mutationFn: (login: LoginSession) => endLoginSession(session, login.id),
    onSuccess: async (_, login) => {
      setEnded(undefined)
      if (login.current) await renew()
      else await queries.invalidateQueries({ queryKey: loginSessionsQuery(session).queryKey })
    }
  })
  const action = (login: LoginSession) => (
    <Button kind="quiet" onClick={() => setEnded(login)}>
      End
    </Button>
  )
  return (
    <Screen title="Your logins">
      <List
        label="Logins"
        list={list}
        columns={columns(action)}
        keyOf={({ id }) => id}
        empty={<Empty sentence="No login of yours lasts." />}
      />
      <Confirm
        open={ended !== undefined}
        onOpenChange={(open) => !open && setEnded(undefined)}
        title={ended?.current ? "End this login?" : "End the login of another browser?"}
        action="End it"
        pending={end.isPending}
        error={end.error}
        onConfirm={() => ended && end.mutate(ended)}
      >
        {ended?.current ? "You are signed out here." : "That browser is signed out with its next request."}
      </Confirm>
    </Screen>
  )
}

/** The logins of the person who is signed in, each of which can be ended. */
export const Logins = () =>
  useSession().me.auth.method === "oauth_session" ? (
    <OwnLogins />
  ) : (
    <Screen title="Your logins">
      <Empty sentence="You are signed in by a key: it is listed among the keys, and revoked there." />
    </Screen>
  )
