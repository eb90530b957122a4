import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import type { Rows } from "../../api/usePages.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import type { MenuItem } from "../../ui/Menu.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import type { Column } from "../../ui/Table.tsx"
import { KeyTabs } from "./KeyTabs.tsx"

interface KeptListProps<Kept> {
  readonly label: string
  readonly list: Rows<Kept>
  /** The columns, the last of which draws `actions`: the menu of a row. */
  readonly columns: (actions: (kept: Kept) => ReactNode) => ReadonlyArray<Column<Kept>>
  /** Stands where nothing is kept yet. */
  readonly empty: string
  /** The word of the button that adds one. */
  readonly add: string
  readonly mayWrite: boolean
  /** Whether nothing can be done to it any more. */
  readonly isOver?: (kept: Kept) => boolean
  /** Actions before those that all kinds have. */
  readonly actions?: (kept: Kept) => ReadonlyArray<MenuItem>
  /** The dialog that adds one, or that changes the one that is given. */
  readonly dialog: (changed: Kept | undefined, onClose: () => void) => ReactNode
  readonly removal: {
    /** How one is called. */
    readonly thing: string
    /** The verb on the button. */
    readonly word: string
    /** The consequence, in a sentence. */
    readonly effect: string
    readonly remove: (id: string) => Promise<unknown>
    /** Reads the list anew. */
    readonly onRemoved: () => Promise<unknown>
  }
  /** Stands above the list. */
  readonly children?: ReactNode
}

/** A list of one kind of secret that a workspace keeps for its agents, in which they are added, changed and removed. */
export const KeptList = <Kept extends { readonly id: string; readonly name: string }>({
  actions,
  add,
  children,
  columns,
  dialog,
  empty,
  isOver,
  label,
  list,
  mayWrite,
  removal
}: KeptListProps<Kept>) => {
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<Kept>()
  const [removed, setRemoved] = useState<Kept>()
  const remove = useMutation({
    mutationFn: removal.remove,
    onSuccess: async () => {
      setRemoved(undefined)
      await removal.onRemoved()
    }
  })
  const menu = (kept: Kept) => (
    <RowMenu
      name={kept.name}
      items={
        !mayWrite || isOver?.(kept) === true
          ? []
          : [
              ...(actions?.(kept) ?? []),
              { label: "Change", onSelect: () => setChanged(kept) },
              { label: removal.word, onSelect: () => setRemoved(kept) }
            ]
      }
    />
  )
  return (
    <Screen
      title="Keys"
      bar={
        <>
          <KeyTabs />
          {mayWrite && (
            <Button kind="primary" onClick={() => setNew(true)}>
              <Icon name="plus" />
              {add}
            </Button>
          )}
        </>
      }
    >
      {children}
      <List
        label={label}
        list={list}
        columns={columns(menu)}
        keyOf={({ id }) => id}
        empty={<Empty sentence={empty} />}
      />
      {isNew && dialog(undefined, () => setNew(false))}
      {changed && dialog(changed, () => setChanged(undefined))}
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`${removal.word} the ${removal.thing} ${removed?.name ?? ""}?`}
        action={removal.word}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => removed && remove.mutate(removed.id)}
      >
        {removal.effect}
      </Confirm>
    </Screen>
  )
}
