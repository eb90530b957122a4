import { LongText } from "../../ui/LongText.tsx"
import { Status } from "../../ui/Status.tsx"
import { useRunLog } from "../run/useRunLog.ts"
import { bubbleClasses } from "./MessageView.tsx"

/** The words of a run that still executes, as they come; what it ends with becomes a message. */
export const RunningView = ({ runId }: { readonly runId: string }) => {
  const { blocks } = useRunLog(runId)
  const said = blocks.flatMap((block) => (block.is === "text" && block.of === "message" ? [block.text] : []))
  return (
    <li className={bubbleClasses(true)}>
      <Status tone="busy" word="Agent at work" />
      {said.length > 0 && <LongText text={said.join("\n")} />}
    </li>
  )
}
