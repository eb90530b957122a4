import type { ProviderKeyTemplate } from "@agent-platform/client"
import { useMutation } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { providerKeyTemplateCalls, revokeProviderKeyTemplate } from "../../api/templates.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { ProviderKeyDialog } from "../keys/ProviderKeyDialog.tsx"
import { providerColumns } from "../keys/providerColumns.tsx"
import type { TemplateAct, TemplateKind } from "./TemplateKind.ts"
import { TemplateList } from "./TemplateList.tsx"
import { TemplateScreen } from "./TemplateScreen.tsx"

const isLive = ({ status }: ProviderKeyTemplate): boolean => status === "active"

const Revoke: TemplateAct<ProviderKeyTemplate>["show"] = ({ onClose, onDone, template }) => {
  const session = useSession()
  const revoke = useMutation({
    mutationFn: () => revokeProviderKeyTemplate(session, template.id),
    onSuccess: () => {
      onClose()
      return onDone()
    }
  })
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke the key ${template.name}?`}
      action="Revoke"
      pending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
    >
      Its value is erased in every workspace that has not given it one of its own. The provider still takes it: revoke
      it there, too.
    </Confirm>
  )
}

const KIND: TemplateKind<ProviderKeyTemplate> = {
  calls: providerKeyTemplateCalls,
  to: "/organization/provider-keys/$templateId",
  label: "Provider keys for all workspaces",
  create: "Add a key for all",
  sentence:
    "No provider key is given to all workspaces yet: the agents of each call models with it, in later ones too.",
  deletion:
    "The keys stay in the workspaces, as their own, and work on. To take the value out of use, revoke it first.",
  columns: providerColumns,
  Form: (props) => <ProviderKeyDialog kind="organization" {...props} />,
  isLive,
  acts: [{ label: "Revoke", fits: isLive, show: (props) => <Revoke {...props} /> }]
}

const route = getRouteApi("/frame/organization/provider-keys/$templateId")

/** The provider keys that the organization gives all of its workspaces. */
export const ProviderKeyTemplates = () => <TemplateList kind={KIND} />

/** One of them. */
export const ProviderKeyTemplateScreen = () => <TemplateScreen kind={KIND} {...route.useParams()} />
