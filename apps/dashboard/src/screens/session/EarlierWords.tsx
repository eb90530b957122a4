import { useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { LongText } from "../../ui/LongText.tsx"
import { useRunLog } from "../run/useRunLog.ts"

interface EarlierWordsProps {
  readonly runId: string
  /** The question's text, which stands in the message already. */
  readonly question: string
  /** Whether they are shown without being asked for. */
  readonly isOpen: boolean
}

const Words = ({ question, runId }: Omit<EarlierWordsProps, "isOpen">) => {
  const { blocks } = useRunLog(runId)
  const said = blocks
    .flatMap((block) => (block.is === "text" && block.of === "message" ? [block.text] : []))
    .filter((text) => text !== question)
  return said.length === 0 ? null : <LongText text={said.join("\n")} />
}

/** The words of an agent before its question, which the messages of a session leave out: they are read from the run's log. */
export const EarlierWords = ({ isOpen, question, runId }: EarlierWordsProps) => {
  const [isAsked, setAsked] = useState(isOpen)
  if (isAsked) return <Words runId={runId} question={question} />
  return (
    <div>
      <Button kind="quiet" onClick={() => setAsked(true)}>
        Words before the question
      </Button>
    </div>
  )
}
