import { Tabs } from "../../ui/Tabs.tsx"

/** The parts of the organization. */
export const OrganizationTabs = () => (
  <Tabs
    label="Parts of the organization"
    tabs={[
      { to: "/organization", label: "Members" },
      { to: "/organization/workspaces", label: "Workspaces" },
      { to: "/keys/organization", label: "Keys" },
      { to: "/organization/agents", label: "Agents for all" },
      { to: "/organization/provider-keys", label: "Provider keys for all" },
      { to: "/organization/tool-secrets", label: "Tool secrets for all" }
    ]}
  />
)
