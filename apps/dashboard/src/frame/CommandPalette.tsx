import { Autocomplete } from "@base-ui/react/autocomplete"
import { Dialog } from "@base-ui/react/dialog"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useSession, useSessionActions } from "../session/SessionContext.tsx"
import { backdropClasses, popupClasses } from "../ui/Dialog.tsx"
import type { Place } from "./places.ts"

interface Command {
  readonly value: string
  readonly label: string
  readonly run: () => void
}

interface CommandPaletteProps {
  readonly places: ReadonlyArray<Place>
  readonly onClose: () => void
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const useCommands = (places: ReadonlyArray<Place>, query: string): ReadonlyArray<Command> => {
  const navigate = useNavigate()
  const { workspace, workspaces } = useSession()
  const { choose } = useSessionActions()
  const id = query.trim().toLowerCase()
  return [
    // The filter compares what is shown with what was typed, so the id stands in the label.
    ...(ID.test(id)
      ? [
          {
            value: "run",
            label: `${query}: open this run`,
            run: () => void navigate({ to: "/runs/$runId", params: { runId: id } })
          }
        ]
      : []),
    ...places.map(({ label, to }) => ({ value: to, label: `Go to ${label}`, run: () => void navigate({ to }) })),
    ...workspaces
      .filter((one) => one.id !== workspace?.id)
      .map((one) => ({ value: one.id, label: `Work in ${one.name}`, run: () => void choose(one.id) }))
  ]
}

/** Leads anywhere by a few letters, or to a run by its id. */
export const CommandPalette = ({ onClose, places }: CommandPaletteProps) => {
  const [query, setQuery] = useState("")
  const commands = useCommands(places, query)
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
              placeholder="A place, a workspace, or the id of a run"
              className="h-[44px] w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-muted"
            />
            <Autocomplete.Empty className="px-4 text-muted not-empty:py-3">Nothing is called so.</Autocomplete.Empty>
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
