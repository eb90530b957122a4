import { Link } from "@tanstack/react-router"
import { Icon } from "../ui/Icon.tsx"
import type { Place } from "./places.ts"

/** The navigation. */
export const PlaceLinks = ({ places }: { readonly places: ReadonlyArray<Place> }) => (
  <nav aria-label="Main" className="min-w-0 overflow-x-auto">
    <ul className="flex gap-0.5 md:flex-col">
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
  </nav>
)
