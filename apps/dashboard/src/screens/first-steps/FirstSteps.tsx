import { useState } from "react"
import { mayOperate } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { FirstRun } from "./FirstRun.tsx"
import { FirstWebhook } from "./FirstWebhook.tsx"

interface FirstStepsProps {
  /** Whether there is still no run. */
  readonly isEmpty: boolean
  readonly onHide: () => void
}

/** The first five minutes: stands above the list of runs from when it is seen empty until it is put away. */
export const FirstSteps = ({ isEmpty, onHide }: FirstStepsProps) => {
  const session = useSession()
  const hasWebhook = mayOperate(session)
  const [isReceived, setReceived] = useState(false)
  return (
    <section
      aria-label="First steps"
      tabIndex={0}
      className={isEmpty ? "min-h-0 flex-1 overflow-auto" : "max-h-[65%] shrink-0 overflow-auto border-b border-line"}
    >
      <div className="mx-auto grid max-w-[760px] gap-6 px-4 py-6">
        <div className="flex flex-wrap items-center gap-2">
          <p role="status" className="mr-auto text-lg text-muted">
            {isEmpty
              ? "Nothing has run here yet: trigger a run, and it appears at once."
              : "It has run: its row below leads to its log."}
          </p>
          {!isEmpty && <Button onClick={onHide}>Put the first steps away</Button>}
        </div>
        <FirstRun isDone={!isEmpty} />
        {hasWebhook && <FirstWebhook isDone={isReceived} onReceived={() => setReceived(true)} />}
      </div>
    </section>
  )
}
