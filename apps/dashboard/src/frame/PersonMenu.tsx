import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { storeSteps } from "../screens/first-steps/storedSteps.ts"
import { useSession, useSessionActions } from "../session/SessionContext.tsx"
import { Icon, type IconName } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import { chooseScheme, currentScheme, type Scheme } from "./scheme.ts"

const SCHEMES: ReadonlyArray<readonly [scheme: Scheme, label: string, icon: IconName]> = [
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
  ["system", "As the system", "screen"]
]

/** As whom one is signed in, and what concerns oneself. */
export const PersonMenu = ({ onKeys }: { readonly onKeys: () => void }) => {
  const session = useSession()
  const { leave } = useSessionActions()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState(currentScheme)
  const { auth, user } = session.me
  const { workspace } = session
  const firstSteps = (workspaceId: string) => {
    storeSteps(workspaceId, "shown")
    void navigate({ to: "/runs" })
  }
  const name = user?.name ?? auth.key_name ?? "API key"
  return (
    <Menu
      label="Signed in as"
      triggerClassName="flex min-h-[40px] w-full min-w-0 items-center gap-2 rounded-md px-2 py-1 text-left hover:bg-hover"
      trigger={
        <>
          <Icon name="key" />
          <span className="min-w-0 flex-1 max-md:sr-only">
            <span className="block truncate">{name}</span>
            <span className="block truncate text-xs text-muted">{user?.email ?? "Signed in with an API key"}</span>
          </span>
        </>
      }
      items={[
        ...(auth.method === "oauth_session"
          ? [{ label: "Your logins", icon: <Icon name="key" />, onSelect: () => void navigate({ to: "/logins" }) }]
          : []),
        ...SCHEMES.map(([scheme, label, icon]) => ({
          label,
          icon: <Icon name={icon} />,
          isChosen: scheme === chosen,
          onSelect: () => {
            chooseScheme(scheme)
            setChosen(scheme)
          }
        })),
        ...(workspace === undefined
          ? []
          : [{ label: "First steps", icon: <Icon name="flag" />, onSelect: () => firstSteps(workspace.id) }]),
        { label: "Keyboard shortcuts", detail: "?", icon: <Icon name="menu" />, onSelect: onKeys },
        {
          label: "API reference",
          icon: <Icon name="record" />,
          onSelect: () => void open("/docs", "_blank", "noopener")
        },
        { label: "Sign out", icon: <Icon name="out" />, onSelect: () => void leave(session) }
      ]}
    />
  )
}
