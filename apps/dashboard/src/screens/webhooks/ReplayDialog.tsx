import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { replaysQuery, startReplay } from "../../api/webhooks.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"

interface ReplayDialogProps {
  readonly endpointId: string
  readonly onClose: () => void
}

const DAY_MILLIS = 86_400_000
const MINUTE_MILLIS = 60_000

/** A moment as the browser's box for times has it: in the reader's zone, to the minute. */
const inBox = (millis: number): string =>
  new Date(millis - new Date(millis).getTimezoneOffset() * MINUTE_MILLIS).toISOString().slice(0, 16)

const WHICH = [
  { value: "dead", label: "Dead deliveries" },
  { value: "all", label: "All deliveries" }
] as const

/** Sends the deliveries of a range of time again. */
export const ReplayDialog = ({ endpointId, onClose }: ReplayDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [since, setSince] = useState(() => inBox(Date.now() - DAY_MILLIS))
  const [until, setUntil] = useState("")
  const [status, setStatus] = useState<(typeof WHICH)[number]["value"]>("dead")
  const start = useMutation({
    mutationFn: () =>
      startReplay(session, endpointId, {
        since: new Date(since).toISOString(),
        until: until === "" ? null : new Date(until).toISOString(),
        status
      }),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: replaysQuery(session, endpointId).queryKey })
    }
  })
  return (
    <FormDialog
      title="Send a range again"
      description="Replays the deliveries of events in this time."
      action="Send again"
      pending={start.isPending}
      error={start.error}
      ready={since !== ""}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      <TextField label="From" type="datetime-local" required value={since} onChange={setSince} />
      <TextField label="Until" type="datetime-local" value={until} onChange={setUntil} hint="Leave empty: until now" />
      <SelectField
        label="Which"
        value={status}
        choices={WHICH}
        onChange={setStatus}
        hint={
          status === "dead"
            ? "Those that fail are not dead yet: they are tried again by themselves. Send one again from its row, or all"
            : "Those that fail or wait, and once more those that have arrived"
        }
      />
    </FormDialog>
  )
}
