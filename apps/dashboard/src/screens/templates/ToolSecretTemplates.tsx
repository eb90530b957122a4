import type { ToolSecretTemplate } from "@agent-platform/client"
import { getRouteApi } from "@tanstack/react-router"
import { toolSecretTemplateCalls } from "../../api/templates.ts"
import { ToolSecretDialog } from "../keys/ToolSecretDialog.tsx"
import { toolSecretColumns } from "../keys/toolSecretColumns.tsx"
import type { TemplateKind } from "./TemplateKind.ts"
import { TemplateList } from "./TemplateList.tsx"
import { TemplateScreen } from "./TemplateScreen.tsx"

const KIND: TemplateKind<ToolSecretTemplate> = {
  calls: toolSecretTemplateCalls,
  to: "/organization/tool-secrets/$templateId",
  label: "Tool secrets for all workspaces",
  create: "Add a secret for all",
  sentence: "No tool secret is given to all workspaces yet: the agents of each call tools with it, in later ones too.",
  deletion:
    "The secrets stay in the workspaces, as their own, and go on being sent. To take the value out of use, give it another first.",
  columns: toolSecretColumns,
  Form: (props) => <ToolSecretDialog kind="organization" {...props} />,
  isLive: () => true,
  acts: []
}

const route = getRouteApi("/frame/organization/tool-secrets/$templateId")

/** The tool secrets that the organization gives all of its workspaces. */
export const ToolSecretTemplates = () => <TemplateList kind={KIND} />

/** One of them. */
export const ToolSecretTemplateScreen = () => <TemplateScreen kind={KIND} {...route.useParams()} />
