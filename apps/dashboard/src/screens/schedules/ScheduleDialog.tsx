import type { Schedule } from "@agent-platform/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { createSchedule, schedulesQuery, updateSchedule } from "../../api/schedules.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Check } from "../../ui/CheckList.tsx"
import { TextArea, TextField } from "../../ui/Field.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { SelectField } from "../../ui/Select.tsx"
import { useAgentsToRun } from "../agents/useAgentsToRun.ts"

interface ScheduleDialogProps {
  /** The schedule that is changed; absent for a new one. */
  readonly before?: Schedule
  readonly onClose: () => void
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text)

/** Says when an agent is to run, and with what. */
export const ScheduleDialog = ({ before, onClose }: ScheduleDialogProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const known = useAgentsToRun() ?? []
  const [chosen, setAgentId] = useState(before?.agent_id)
  const agentId = chosen ?? known[0]?.agent_id ?? ""
  const [name, setName] = useState(before?.name ?? "")
  const [cron, setCron] = useState(before?.cron ?? "0 9 * * 1-5")
  const [zone, setZone] = useState(before?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [message, setMessage] = useState(before?.message ?? "")
  const [once, setOnce] = useState(before?.missed === "once")
  const save = useMutation({
    mutationFn: () => {
      const body = {
        agent_id: agentId,
        name: orNull(name),
        cron: cron.trim(),
        timezone: zone.trim(),
        message: orNull(message),
        missed: once ? ("once" as const) : ("skip" as const)
      }
      return before === undefined ? createSchedule(session, body) : updateSchedule(session, before, body)
    },
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: schedulesQuery(session).queryKey })
    }
  })
  return (
    <FormDialog
      title={before === undefined ? "New schedule" : "Change the schedule"}
      action={before === undefined ? "Create the schedule" : "Save"}
      pending={save.isPending}
      error={save.error}
      ready={agentId !== "" && cron.trim() !== ""}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {known.length === 0 && before === undefined ? (
        <p className="text-muted">There is no agent that could run: make one first.</p>
      ) : (
        <SelectField
          label="Agent"
          member="agent_id"
          value={agentId}
          choices={known.map(({ agent_id, name: label }) => ({ value: agent_id, label }))}
          onChange={setAgentId}
        />
      )}
      <TextField label="Name" member="name" value={name} onChange={setName} />
      <TextField
        label="Cron expression"
        member="cron"
        required
        spellCheck={false}
        value={cron}
        onChange={setCron}
        hint="Minute, hour, day, month, day of the week. For example 0 9 * * 1-5: at 9:00, Monday to Friday"
      />
      <TextField label="Time zone" member="timezone" required spellCheck={false} value={zone} onChange={setZone} />
      <TextArea label="Message" member="message" rows={3} value={message} onChange={setMessage} />
      <Check label="Make up once for times that were missed" checked={once} onChange={setOnce} />
    </FormDialog>
  )
}
