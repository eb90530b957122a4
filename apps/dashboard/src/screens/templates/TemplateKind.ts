/** The differences between the kinds of templates; the screens are the same for all. `One` is a template of the kind. */
import type { ReactNode } from "react"
import type { Template, TemplateCalls } from "../../api/templates.ts"
import type { Column } from "../../ui/Table.tsx"

interface FormProps<One> {
  /** The template that is changed; absent for a new one. */
  readonly before?: One
  /** Reads the templates anew. */
  readonly onSaved: () => unknown
  readonly onClose: () => void
}

/** Something that can be done to a template, in a dialog. */
export interface TemplateAct<One> {
  readonly label: string
  readonly fits: (template: One) => boolean
  /** Its dialog. */
  readonly show: (props: {
    readonly template: One
    readonly onDone: () => unknown
    readonly onClose: () => void
  }) => ReactNode
}

/** A kind of templates. */
export interface TemplateKind<One extends Template> {
  readonly calls: TemplateCalls<One>
  readonly to: `/organization/${TemplateCalls<One>["kind"]}/$templateId`
  /** Names the list. */
  readonly label: string
  /** The words of the button that makes one. */
  readonly create: string
  /** Stands where there is none. */
  readonly sentence: string
  /** The consequence of deleting one. */
  readonly deletion: string
  readonly columns: (actions: (template: One) => ReactNode) => ReadonlyArray<Column<One>>
  readonly Form: (props: FormProps<One>) => ReactNode
  /** Whether it can still be changed. */
  readonly isLive: (template: One) => boolean
  /** More that can be done to it than to change and delete it. */
  readonly acts: ReadonlyArray<TemplateAct<One>>
}
