import { Link, useLocation, useNavigate } from "@tanstack/react-router"
import { Icon } from "../ui/Icon.tsx"
import { Menu } from "../ui/Menu.tsx"
import type { Place } from "./places.ts"

/** The navigation: a column of links, and on narrow screens a menu. */
export const PlaceLinks = ({ places }: { readonly places: ReadonlyArray<Place> }) => {
  const navigate = useNavigate()
  const path = useLocation({ select: ({ pathname }) => pathname })
  return (
    <nav aria-label="Main" className="shrink-0">
      <ul className="flex flex-col gap-0.5 max-md:hidden">
        {places.map(({ icon, label, to }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex h-[32px] items-center gap-2 rounded-md px-2 text-muted hover:bg-hover data-[status=active]:bg-tint data-[status=active]:font-medium data-[status=active]:text-ink"
            >
              <Icon name={icon} />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <div className="md:hidden">
        <Menu
          label="Go to"
          triggerClassName="inline-flex size-[32px] items-center justify-center rounded-md border border-line bg-panel text-muted hover:bg-hover"
          trigger={<Icon name="menu" />}
          items={places.map(({ icon, label, to }) => ({
            label,
            icon: <Icon name={icon} />,
            isChosen: path === to || path.startsWith(`${to}/`),
            onSelect: () => void navigate({ to })
          }))}
        />
      </div>
    </nav>
  )
}
