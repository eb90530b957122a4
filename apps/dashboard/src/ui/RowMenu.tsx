import { Icon } from "./Icon.tsx"
import { Menu, type MenuItem } from "./Menu.tsx"

/** The menu of the actions on a row; none where there are no actions. */
export const RowMenu = ({ items, name }: { readonly name: string; readonly items: ReadonlyArray<MenuItem> }) =>
  items.length === 0 ? null : (
    <Menu
      label={`Actions for ${name}`}
      triggerClassName="relative z-1 inline-flex size-[28px] items-center justify-center rounded-md text-muted hover:bg-hover"
      trigger={<Icon name="more" />}
      items={items}
    />
  )
