import { useEffect } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/Time.tsx"
import type { Received } from "./Received.ts"
import { useReceived } from "./useReceived.ts"

const CHARACTERS_MAX = 4_000

const headerOf = ({ headers }: Received, end: string): string =>
  Object.entries(headers).find(([name]) => name.endsWith(end))?.[1] ?? ""

const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

interface ReceivedListProps {
  readonly receivedUrl: string
  /** Called once there is one. */
  readonly onReceived: () => void
}

/** The webhooks that have come to the listener, as they come. */
export const ReceivedList = ({ onReceived, receivedUrl }: ReceivedListProps) => {
  const received = useReceived(receivedUrl)
  const isReceived = received.length > 0
  useEffect(() => {
    if (isReceived) onReceived()
  }, [isReceived, onReceived])
  return (
    <ul aria-label="Received webhooks" aria-live="polite" className="grid w-full min-w-0 gap-2">
      {received.map((one) => (
        <li key={one.id} className="min-w-0 rounded-lg border border-line bg-panel">
          <details className="group">
            <summary className="flex cursor-pointer flex-wrap items-center gap-2 p-2">
              <span className="text-muted group-open:rotate-180">
                <Icon name="chevron" />
              </span>
              <span className="font-medium">{headerOf(one, "-event-type")}</span>
              <span className="text-muted">
                received <Time at={one.received_at} />
              </span>
            </summary>
            <pre className="max-h-[320px] overflow-auto border-t border-line p-3 font-mono text-sm" tabIndex={0}>
              {Object.entries(one.headers)
                .map(([name, value]) => `${name}: ${value}`)
                .join("\n")}
              {"\n\n"}
              {indented(one.body).slice(0, CHARACTERS_MAX)}
            </pre>
          </details>
        </li>
      ))}
    </ul>
  )
}
