import { Link, type LinkProps } from "@tanstack/react-router"

interface TabsProps {
  /** Names the parts together. */
  readonly label: string
  readonly tabs: ReadonlyArray<{ readonly to: NonNullable<LinkProps["to"]>; readonly label: string }>
}

/** The parts of a place, each with an address of its own. */
export const Tabs = ({ label, tabs }: TabsProps) => (
  <nav aria-label={label}>
    <ul className="flex flex-wrap gap-0.5">
      {tabs.map((tab) => (
        <li key={tab.label}>
          <Link
            to={tab.to}
            activeOptions={{ exact: true }}
            className="flex h-[32px] items-center rounded-md px-2.5 text-muted hover:bg-hover data-[status=active]:bg-tint data-[status=active]:font-medium data-[status=active]:text-ink"
          >
            {tab.label}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
