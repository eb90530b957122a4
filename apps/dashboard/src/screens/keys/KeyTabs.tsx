import { useSession } from "../../session/SessionContext.tsx"
import { Tabs } from "../../ui/Tabs.tsx"

/** The kinds of keys that one may see. */
export const KeyTabs = () => {
  const { can } = useSession()
  return (
    <Tabs
      label="Kinds of keys"
      tabs={[
        { to: "/keys" as const, label: "Workspace" },
        ...(can("byok:read") ? [{ to: "/keys/providers" as const, label: "Model providers" }] : []),
        ...(can("tool_secrets:read") ? [{ to: "/keys/tools" as const, label: "Tools" }] : []),
        ...(can("org:admin") ? [{ to: "/keys/organization" as const, label: "Organization" }] : [])
      ]}
    />
  )
}
