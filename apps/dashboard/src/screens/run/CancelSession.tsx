import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { cancelSession } from "../../api/runs.ts"
import { useShortcut } from "../../frame/shortcuts.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Icon } from "../../ui/Icon.tsx"

interface CancelSessionProps {
  readonly sessionId: string
  readonly mode: "graceful" | "immediate"
  /** The verb on the button. */
  readonly word: string
  /** The consequence, in a sentence. */
  readonly consequence: string
  /** The thing that the key `c` cancels. */
  readonly what: string
}

/** Ends all that a session has under way, once that was confirmed. */
export const CancelSession = ({ consequence, mode, sessionId, what, word }: CancelSessionProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const cancel = useMutation({
    mutationFn: () => cancelSession(session, sessionId, mode),
    onSuccess: async () => {
      setOpen(false)
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["runs"] }),
        queries.invalidateQueries({ queryKey: ["sessions"] })
      ])
    }
  })
  useShortcut("c", `Cancel the ${what}`, () => setOpen(true))
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        <Icon name="stop" />
        {word}
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={`${word}?`}
        action={word}
        pending={cancel.isPending}
        error={cancel.error}
        onConfirm={() => cancel.mutate()}
      >
        {consequence}
      </Confirm>
    </>
  )
}
