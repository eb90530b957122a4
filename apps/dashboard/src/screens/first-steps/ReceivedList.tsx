import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/Time.tsx"
import { EventKind } from "../webhooks/states.tsx"
import { factsOf, type Received } from "./Received.ts"

const CHARACTERS_MAX = 4_000

/** A header of the delivery by the end of its name: the operator chooses how the names begin. */
const headerOf = ({ headers }: Received, end: string): string =>
  Object.entries(headers).find(([name]) => name.endsWith(end))?.[1] ?? ""

const indented = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const ID_CHARACTERS = 8

const ReceivedItem = ({ one }: { readonly one: Received }) => {
  const { isTest, runId } = factsOf(one)
  return (
    <li className="min-w-0 rounded-lg border border-line bg-panel">
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 p-2">
          <span className="text-muted group-open:rotate-180">
            <Icon name="chevron" />
          </span>
          <span className="font-medium">
            <EventKind type={headerOf(one, "-event-type")} isTest={isTest} />
          </span>
          {/* The run of a sample is made up. */}
          {!isTest && runId !== undefined && (
            <span>
              run <span className="font-mono text-sm">{runId.slice(-ID_CHARACTERS)}</span>
            </span>
          )}
          <span className="text-muted">
            event <span className="font-mono text-sm">{headerOf(one, "-event-id").slice(-ID_CHARACTERS)}</span>,
            received <Time at={one.received_at} />, answered {one.answered}
          </span>
        </summary>
        <div className="border-t border-line p-3">
          {isTest && <p className="pb-2">A test: its run is made up, and stands in no list.</p>}
          <pre className="overflow-x-auto font-mono text-sm" tabIndex={0}>
            {Object.entries(one.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n")}
            {"\n\n"}
            {indented(one.body).slice(0, CHARACTERS_MAX)}
          </pre>
        </div>
      </details>
    </li>
  )
}

/** The webhooks that have come to the listener, the newest first. */
export const ReceivedList = ({ received }: { readonly received: ReadonlyArray<Received> }) => (
  <ul aria-label="Received webhooks" aria-live="polite" className="grid w-full min-w-0 gap-2 empty:absolute">
    {received.map((one) => (
      <ReceivedItem key={one.id} one={one} />
    ))}
  </ul>
)
