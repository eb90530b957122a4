import type { AgentTemplate } from "@agent-platform/client"
import { getRouteApi } from "@tanstack/react-router"
import { agentTemplateCalls, createAgentTemplate, updateAgentTemplate } from "../../api/templates.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Time } from "../../ui/Time.tsx"
import { AgentDialog } from "../agents/AgentDialog.tsx"
import { RotateEndpointDialog } from "../agents/RotateEndpointDialog.tsx"
import type { TemplateAct, TemplateKind } from "./TemplateKind.ts"
import { TemplateList } from "./TemplateList.tsx"
import { TemplateScreen } from "./TemplateScreen.tsx"

const Form: TemplateKind<AgentTemplate>["Form"] = ({ before, onClose, onSaved }) => {
  const session = useSession()
  const saved = () => {
    onClose()
    return onSaved()
  }
  return before === undefined ? (
    <AgentDialog
      title="New agent for all workspaces"
      action="Create the agents"
      save={(settings) => createAgentTemplate(session, settings)}
      onSaved={saved}
      onClose={onClose}
    />
  ) : (
    <AgentDialog
      title={`Change ${before.name}`}
      action="Save"
      before={before}
      save={(settings) => updateAgentTemplate(session, before, settings)}
      onSaved={saved}
      onClose={onClose}
    />
  )
}

const Rotate: TemplateAct<AgentTemplate>["show"] = ({ onClose, onDone, template }) => {
  const session = useSession()
  return (
    <RotateEndpointDialog
      url={template.endpoint?.url ?? ""}
      update={(change) => updateAgentTemplate(session, template, change)}
      onClose={() => {
        onClose()
        void onDone()
      }}
    />
  )
}

const KIND: TemplateKind<AgentTemplate> = {
  calls: agentTemplateCalls,
  to: "/organization/agents/$templateId",
  label: "Agents for all workspaces",
  create: "New agent for all",
  sentence: "No agent is given to all workspaces yet: each gets one of its own by a template, later ones too.",
  deletion: "Its agents stay in the workspaces, as their own. What is changed there later, each changes for itself.",
  columns: (actions) => [
    { id: "name", title: "Agent", width: "minmax(160px, 1fr)", cell: ({ name }) => name },
    { id: "recipe", title: "Recipe", width: "110px", cell: ({ recipe }) => recipe },
    { id: "model", title: "Model", width: "minmax(140px, 1fr)", cell: ({ model }) => model ?? "–" },
    {
      id: "updated",
      title: "Changed",
      width: "104px",
      numeric: true,
      cell: ({ updated_at }) => <Time at={updated_at} />
    },
    { id: "actions", title: "Actions", width: "60px", cell: actions }
  ],
  Form,
  isLive: () => true,
  acts: [
    {
      label: "Rotate the endpoint's secret",
      fits: ({ endpoint }) => endpoint !== null,
      show: (props) => <Rotate {...props} />
    }
  ]
}

const route = getRouteApi("/frame/organization/agents/$templateId")

/** The agents that the organization gives all of its workspaces. */
export const AgentTemplates = () => <TemplateList kind={KIND} />

/** One of them. */
export const AgentTemplateScreen = () => <TemplateScreen kind={KIND} {...route.useParams()} />
