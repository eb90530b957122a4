import { useState } from "react"
import { mayOperate } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { FirstFailure } from "./FirstFailure.tsx"
import { FirstRun } from "./FirstRun.tsx"
import { FirstWebhook } from "./FirstWebhook.tsx"
import { type DoneStep, storeDone, useDone } from "./storedSteps.ts"
import { useListener } from "./useListener.ts"
import { useReceived } from "./useReceived.ts"

type StepName = "run" | DoneStep

interface FirstStepsProps {
  /** Whether there is still no run. */
  readonly isEmpty: boolean
  readonly workspaceId: string
  readonly onHide: () => void
}

/** The first five minutes: stands above the list of runs from when it is seen empty until it is put away. */
export const FirstSteps = ({ isEmpty, onHide, workspaceId }: FirstStepsProps) => {
  const session = useSession()
  const listener = useListener()
  const received = useReceived(listener?.received_url)
  const stored = useDone(workspaceId)
  const done: Readonly<Record<StepName, boolean>> = {
    run: !isEmpty,
    webhook: stored.has("webhook") || received.length > 0,
    failure: stored.has("failure")
  }
  const names: ReadonlyArray<StepName> = !mayOperate(session)
    ? ["run"]
    : listener === undefined
      ? ["run", "webhook"]
      : ["run", "webhook", "failure"]
  // One step is open: the first that is to be done, until another one is opened or begun, which stays open with what it has led to.
  const [chosen, choose] = useState<StepName | "none">()
  const open = chosen ?? names.find((name) => !done[name])
  const stateOf = (name: StepName) => ({
    isDone: done[name],
    isOpen: open === name,
    onToggle: () => choose(open === name ? "none" : name)
  })
  return (
    <section
      aria-label="First steps"
      tabIndex={0}
      className={isEmpty ? "min-h-0 flex-1 overflow-auto" : "max-h-[65%] shrink-0 overflow-auto border-b border-line"}
    >
      <div className="mx-auto max-w-[760px] px-4 pt-3">
        <div className="flex min-h-[40px] flex-wrap items-center gap-2 pb-2">
          <p role="status" className="mr-auto text-lg text-muted">
            {isEmpty
              ? "Nothing has run here yet: trigger a run, and it appears at once."
              : "It has run: its row below leads to its log."}
          </p>
          {!isEmpty && <Button onClick={onHide}>Put the first steps away</Button>}
        </div>
        <FirstRun {...stateOf("run")} />
        {names.includes("webhook") && (
          <FirstWebhook
            {...stateOf("webhook")}
            listener={listener}
            received={received}
            onBegin={() => choose("webhook")}
            onDone={() => storeDone(workspaceId, "webhook")}
          />
        )}
        {listener !== undefined && names.includes("failure") && (
          <FirstFailure
            {...stateOf("failure")}
            listener={listener}
            onBegin={() => choose("failure")}
            onDone={() => storeDone(workspaceId, "failure")}
          />
        )}
      </div>
    </section>
  )
}
