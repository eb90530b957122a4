import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { deleteTemplate, TEMPLATES_KEY, type Template } from "../../api/templates.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import type { TemplateAct, TemplateKind } from "./TemplateKind.ts"

interface TemplateActions<One> {
  /** The menu of what can be done to a template. */
  readonly menu: (template: One) => ReactNode
  /** Opens the form of a new one. */
  readonly create: () => void
  /** The dialog that is open. */
  readonly dialog: ReactNode
}

/** The dialog that is open: the form of a new one, or the act of this label on a template. */
type Open<One> = "new" | { readonly template: One; readonly label: string }

/** The actions on templates of this kind, in dialogs. */
export const useTemplateActions = <One extends Template>(
  kind: TemplateKind<One>,
  onDeleted?: () => unknown
): TemplateActions<One> => {
  const session = useSession()
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open<One>>()
  const close = () => setOpen(undefined)
  const renew = () => queries.invalidateQueries({ queryKey: TEMPLATES_KEY })
  const remove = useMutation({
    mutationFn: ({ id }: One) => deleteTemplate(session, kind.calls, id),
    onSuccess: async () => {
      close()
      await onDeleted?.()
      await renew()
    }
  })
  const acts: ReadonlyArray<TemplateAct<One>> = [
    {
      label: "Change",
      fits: kind.isLive,
      show: ({ onClose, onDone, template }) => <kind.Form before={template} onSaved={onDone} onClose={onClose} />
    },
    ...kind.acts,
    {
      label: "Delete",
      fits: () => true,
      show: ({ onClose, template }) => (
        <Confirm
          open
          onOpenChange={(isOpen) => !isOpen && onClose()}
          title={`Delete the template ${template.name}?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(template)}
        >
          {kind.deletion}
        </Confirm>
      )
    }
  ]
  return {
    create: () => setOpen("new"),
    menu: (template) => (
      <RowMenu
        name={template.name}
        items={acts
          .filter(({ fits }) => fits(template))
          .map((act) => ({ label: act.label, onSelect: () => setOpen({ label: act.label, template }) }))}
      />
    ),
    dialog:
      open === undefined ? null : open === "new" ? (
        <kind.Form onSaved={renew} onClose={close} />
      ) : (
        acts.find(({ label }) => label === open.label)?.show({ template: open.template, onDone: renew, onClose: close })
      )
  }
}
