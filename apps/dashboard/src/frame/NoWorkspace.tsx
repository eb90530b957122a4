import { Link } from "@tanstack/react-router"
import { useSession } from "../session/SessionContext.tsx"
import { buttonClasses } from "../ui/Button.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Screen } from "../ui/Screen.tsx"

const COMMAND = `curl ${location.origin}/api/v1/org/workspaces -H "X-API-Key: $ORG_KEY" -H "Content-Type: application/json" -d '{"name": "My workspace"}'`

/** Stands in the place of every screen of a workspace while there is none to look at. */
export const NoWorkspace = () => {
  const { can } = useSession()
  return (
    <Screen title="No workspace">
      {can("org:admin") ? (
        <Empty
          sentence="The organization has no workspace yet: agents, runs and keys live in one."
          command={COMMAND}
          action={
            <Link to="/organization/workspaces" className={buttonClasses("primary")}>
              Make one
            </Link>
          }
        />
      ) : (
        <Empty sentence="You are signed in, and belong to no workspace yet: ask an owner or an admin of the organization for one." />
      )}
    </Screen>
  )
}
