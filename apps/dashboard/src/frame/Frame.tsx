import { Outlet, useLocation, useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useSession } from "../session/SessionContext.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { COMMAND_KEY } from "./commandKey.ts"
import { NotificationsButton } from "./NotificationsButton.tsx"
import { NoWorkspace } from "./NoWorkspace.tsx"
import { PersonMenu } from "./PersonMenu.tsx"
import { PlaceLinks } from "./PlaceLinks.tsx"
import { type Place, placesOf } from "./places.ts"
import { useShortcut } from "./shortcuts.ts"
import { useCommandKey } from "./useCommandKey.ts"
import { WorkspaceMenu } from "./WorkspaceMenu.tsx"

// Dialogs are a quarter of the code, and most visits need none of them.
const CommandPalette = lazy(async () => ({ default: (await import("./CommandPalette.tsx")).CommandPalette }))
const ShortcutList = lazy(async () => ({ default: (await import("./ShortcutList.tsx")).ShortcutList }))

/** The shortcut to a place. A component, since places differ from person to person and hooks must not be called in a loop. */
const PlaceKey = ({ place }: { readonly place: Place }) => {
  const navigate = useNavigate()
  useShortcut(`g ${place.key}`, `Go to ${place.label.toLowerCase()}`, () => void navigate({ to: place.to }))
  return null
}

/** The screens of the organization need no workspace. */
const OF_ORGANIZATION = /^\/(?:organization|(?:keys|usage)\/organization)(?:\/|$)/

/** The frame around every screen: where one is, as whom, and the ways to elsewhere. */
export const Frame = () => {
  const session = useSession()
  const isOfOrganization = useLocation({ select: ({ pathname }) => OF_ORGANIZATION.test(pathname) })
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const [isListOpen, setListOpen] = useState(false)
  const places = placesOf(session)
  useCommandKey(() => setPaletteOpen(true))
  useShortcut("/", "Search", () => setPaletteOpen(true))
  useShortcut("?", "Keyboard shortcuts", () => setListOpen(true))
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-30 focus:m-2 focus:rounded-md focus:bg-raised focus:p-2"
      >
        Skip to the content
      </a>
      <div className="flex items-center gap-2 border-b border-line p-2 md:w-[208px] md:flex-col md:items-stretch md:border-r md:border-b-0">
        <WorkspaceMenu />
        <button
          type="button"
          onClick={() => setPaletteOpen(true)}
          className="flex h-[32px] shrink-0 items-center gap-2 rounded-md border border-line bg-panel px-2 text-muted hover:bg-hover"
        >
          <Icon name="search" />
          <span className="max-md:sr-only">Search</span>
          <kbd className="ml-auto font-sans text-sm max-md:hidden">{COMMAND_KEY}</kbd>
        </button>
        {session.can("feeds:read") && session.workspace !== undefined && <NotificationsButton />}
        <PlaceLinks places={places} />
        <div className="shrink-0 md:mt-auto">
          <PersonMenu onKeys={() => setListOpen(true)} />
        </div>
      </div>
      <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
        <Suspense fallback={<Skeleton />}>
          {session.workspace === undefined && !isOfOrganization ? <NoWorkspace /> : <Outlet />}
        </Suspense>
      </main>
      {places.map((place) => (
        <PlaceKey key={place.to} place={place} />
      ))}
      <Suspense>
        {isListOpen && <ShortcutList onClose={() => setListOpen(false)} />}
        {isPaletteOpen && <CommandPalette places={places} onClose={() => setPaletteOpen(false)} />}
      </Suspense>
    </div>
  )
}
