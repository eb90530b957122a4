import type { Notification } from "@agent-platform/client"
import { Link } from "@tanstack/react-router"
import { Button, buttonClasses } from "../ui/Button.tsx"
import { LongText } from "../ui/LongText.tsx"
import { Status, type Tone } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"

const TONES: Readonly<Record<string, readonly [tone: Tone, word: string]>> = {
  "run.failed": ["bad", "Run failed"],
  "run.paused": ["warn", "Question"],
  "credential.revoked": ["bad", "Key revoked"],
  "workspace.cap_reached": ["bad", "Cap reached"],
  "workspace.cap_near": ["warn", "Near the cap"],
  "webhook.endpoint_disabled": ["bad", "Endpoint disabled"],
  "webhook.delivery_dead": ["bad", "Delivery given up"],
  "api_key.expiring": ["warn", "Key expires"]
}

interface NoticeViewProps {
  readonly notice: Notification
  /** Absent where there is nothing to mark. */
  readonly onRead?: () => void
  /** Whether one is being marked. */
  readonly pending: boolean
  /** Called when somebody follows its link. */
  readonly onFollow: () => void
}

/** A notice, with the way to what it is about. */
export const NoticeView = ({ notice, onFollow, onRead, pending }: NoticeViewProps) => {
  const [tone, word] = TONES[notice.type] ?? ["idle", notice.type]
  const runId = notice.payload["run_id"]
  return (
    <li className="grid gap-1 border-b border-line py-3">
      <p className="flex items-center gap-3 text-sm text-muted">
        <Status tone={notice.read ? "idle" : tone} word={word} />
        <span className="ml-auto">
          <Time at={notice.created_at} />
        </span>
      </p>
      <p className={notice.read ? "foreign" : "foreign font-semibold"}>{notice.title}</p>
      <LongText text={notice.body} />
      <p className="flex gap-2">
        {typeof runId === "string" && (
          <Link to="/runs/$runId" params={{ runId }} onClick={onFollow} className={buttonClasses()}>
            Open the run
          </Link>
        )}
        {onRead && (
          <Button kind="quiet" disabled={pending} onClick={onRead}>
            Mark as read
          </Button>
        )}
      </p>
    </li>
  )
}
