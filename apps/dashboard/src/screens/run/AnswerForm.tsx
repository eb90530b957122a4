import { type FormEvent, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { TextArea } from "../../ui/Field.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { jsonText } from "../../ui/jsonText.ts"
import { LongText } from "../../ui/LongText.tsx"
import type { Reply } from "./ReplyPanel.tsx"

interface AnswerFormProps {
  /** The data that the agent gave along with its question. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** The box's label, where there is no question to answer. */
  readonly label?: string
  readonly pending: boolean
  readonly onReply: (reply: Reply) => void
}

/** An answer in words. */
export const AnswerForm = ({ data, label = "Your answer", onReply, pending }: AnswerFormProps) => {
  const [message, setMessage] = useState("")
  const send = (event: FormEvent) => {
    event.preventDefault()
    onReply({ message })
  }
  return (
    <form onSubmit={send} className="grid gap-3">
      {data !== null && <LongText mono text={jsonText(data)} />}
      <TextArea label={label} rows={2} required value={message} onChange={setMessage} />
      <div className="flex justify-end">
        <Button type="submit" kind="primary" disabled={pending || message.trim() === ""}>
          <Icon name="reply" />
          Reply
        </Button>
      </div>
    </form>
  )
}
