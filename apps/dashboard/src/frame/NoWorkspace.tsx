import { Empty } from "../ui/Empty.tsx"
import { Screen } from "../ui/Screen.tsx"

/** Stands in the place of every screen while there is no workspace to look at. */
export const NoWorkspace = () => (
  <Screen title="No workspace">
    <Empty
      sentence="You are signed in, and belong to no workspace yet: ask an owner or an admin of the organization for one, or make one with the organization's key."
      command={`curl ${location.origin}/api/v1/org/workspaces -H "X-API-Key: $ORG_KEY" -H "Content-Type: application/json" -d '{"name": "My workspace"}'`}
    />
  </Screen>
)
