import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { type Template, templatesQuery } from "../../api/templates.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { type Column, rowNameClasses } from "../../ui/Table.tsx"
import { OrganizationTabs } from "../organization/OrganizationTabs.tsx"
import { Spread } from "./Spread.tsx"
import type { TemplateKind } from "./TemplateKind.ts"
import { useTemplateActions } from "./useTemplateActions.tsx"

/** The kind's columns, with a link in the name, and before the actions one for how far the template has spread. */
const columnsOf = <One extends Template>(
  { columns, to }: TemplateKind<One>,
  actions: (template: One) => ReactNode
): ReadonlyArray<Column<One>> =>
  columns(actions).flatMap((column): ReadonlyArray<Column<One>> => {
    if (column.id === "name") {
      const cell = ({ id, name }: One) => (
        <Link to={to} params={{ templateId: id }} className={rowNameClasses} title={name}>
          {name}
        </Link>
      )
      return [{ ...column, cell }]
    }
    if (column.id !== "actions") return [column]
    return [{ id: "spread", title: "Brought to", width: "180px", cell: ({ spread }) => <Spread {...spread} /> }, column]
  })

/** The templates of one kind: all that the organization gives its workspaces of it. */
export const TemplateList = <One extends Template>({ kind }: { readonly kind: TemplateKind<One> }) => {
  const session = useSession()
  const list = usePages(templatesQuery(session, kind.calls))
  const { create, dialog, menu } = useTemplateActions(kind)
  useRowKeys()
  return (
    <Screen
      title="Organization"
      bar={
        <>
          <OrganizationTabs />
          {session.can("org:admin") && (
            <Button kind="primary" onClick={create}>
              <Icon name="plus" />
              {kind.create}
            </Button>
          )}
        </>
      }
    >
      <List
        label={kind.label}
        list={list}
        columns={columnsOf(kind, menu)}
        keyOf={({ id }) => id}
        empty={<Empty sentence={kind.sentence} />}
      />
      {dialog}
    </Screen>
  )
}
