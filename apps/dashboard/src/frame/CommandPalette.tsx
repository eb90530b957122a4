import { Autocomplete } from "@base-ui/react/autocomplete"
import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useSession, useSessionActions } from "../session/SessionContext.tsx"
import { backdropClasses, popupClasses } from "../ui/Dialog.tsx"
import type { Place } from "./places.ts"
import { activeShortcuts } from "./shortcuts.ts"
import { type Command, useFound } from "./useFound.ts"

interface CommandPaletteProps {
  readonly places: ReadonlyArray<Place>
  readonly onClose: () => void
}

/** The shortcuts that the palette has as well: they open something over any screen. */
const OFFERED_KEYS: ReadonlyArray<string> = ["n", "?"]

const usePlaceCommands = (places: ReadonlyArray<Place>): ReadonlyArray<Command> => {
  const navigate = useNavigate()
  const { workspace, workspaces } = useSession()
  const { choose } = useSessionActions()
  return [
    ...places.map(({ label, to }) => ({ value: to, label: `Go to ${label}`, run: () => void navigate({ to }) })),
    ...activeShortcuts()
      .filter(({ keys }) => OFFERED_KEYS.includes(keys))
      .map(({ keys, label, run }) => ({ value: keys, label, run })),
    ...workspaces
      .filter((one) => one.id !== workspace?.id)
      .map((one) => ({ value: one.id, label: `Work in ${one.name}`, run: () => void choose(one.id) }))
  ]
}

/** Leads anywhere by a few letters, or to a run, a session, a delivery, an agent or a key by its id or its name. */
export const CommandPalette = ({ onClose, places }: CommandPaletteProps) => {
  const [query, setQuery] = useState("")
  const found = useFound(query)
  const commands = [...found.commands, ...usePlaceCommands(places)]
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClasses} />
        <Dialog.Popup aria-label="Search" className={popupClasses}>
          <Autocomplete.Root
            open
            inline
            items={commands}
            value={query}
            onValueChange={setQuery}
            itemToStringValue={(command: Command) => command.label}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input
              aria-label="Search"
              placeholder="A place, an agent, a key, or the id of a run"
              className="h-[44px] w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-muted"
            />
            <Autocomplete.Empty className="px-4 text-muted not-empty:py-3">{found.nothing}</Autocomplete.Empty>
            <Autocomplete.List className="p-1 empty:hidden">
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.value}
                  value={command}
                  onClick={() => {
                    onClose()
                    command.run()
                  }}
                  className="flex h-[36px] items-center truncate rounded-sm px-3 outline-none select-none data-highlighted:bg-hover"
                >
                  {command.label}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
