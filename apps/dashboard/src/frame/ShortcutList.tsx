import { Dialog } from "../ui/Dialog.tsx"
import { COMMAND_KEY } from "./commandKey.ts"
import { activeShortcuts } from "./shortcuts.ts"

const Keys = ({ keys }: { readonly keys: string }) => (
  <span className="flex gap-1">
    {keys.split(" ").map((key) => (
      <kbd key={key} className="min-w-[22px] rounded-sm border border-line px-1 text-center font-mono text-sm">
        {key}
      </kbd>
    ))}
  </span>
)

/** Every key that works on the screen behind it. */
export const ShortcutList = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title="Keyboard shortcuts">
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
      {[{ keys: COMMAND_KEY, label: "Search" }, ...activeShortcuts()].map(({ keys, label }) => (
        <div key={keys} className="contents">
          <dt>
            <Keys keys={keys} />
          </dt>
          <dd className="text-muted">{label}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
