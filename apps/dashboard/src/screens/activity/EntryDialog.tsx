import type { ActivityEntry } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { buttonClasses } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/Copy.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import { exactTime } from "../../ui/Time.tsx"
import { actorWord, resourceWord } from "./filters.ts"

interface EntryDialogProps {
  readonly entry: ActivityEntry
  readonly onClose: () => void
}

/** All that is recorded about an action. */
export const EntryDialog = ({ entry, onClose }: EntryDialogProps) => (
  <Dialog open onOpenChange={(open) => !open && onClose()} title={entry.action}>
    <div className="grid gap-3">
      <p className="foreign">{entry.summary}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        <dt className="text-muted">{actorWord(entry.actor_type)}</dt>
        <dd className="foreign">{entry.actor_label}</dd>
        <dt className="text-muted">{resourceWord(entry.resource_type)}</dt>
        <dd>
          <CopyId id={entry.resource_id} label="id" whole />
        </dd>
        <dt className="text-muted">When</dt>
        <dd>{exactTime(entry.created_at)}</dd>
      </dl>
      <LongText mono text={jsonText(entry.payload)} />
      {entry.resource_type === "run" && (
        <Link to="/runs/$runId" params={{ runId: entry.resource_id }} className={buttonClasses()}>
          Open the run
        </Link>
      )}
      {entry.resource_type === "session" && (
        <Link to="/sessions/$sessionId" params={{ sessionId: entry.resource_id }} className={buttonClasses()}>
          Open the session
        </Link>
      )}
    </div>
  </Dialog>
)
