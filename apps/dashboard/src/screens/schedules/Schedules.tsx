import type { Schedule } from "@agent-platform/client"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { agentsQuery } from "../../api/agents.ts"
import { deleteSchedule, schedulesQuery, updateSchedule } from "../../api/schedules.ts"
import { usePages } from "../../api/usePages.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Confirm.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { List } from "../../ui/List.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { useCommandMeans } from "../first-steps/useCommandMeans.tsx"
import { scheduleColumns } from "./columns.tsx"
import { ScheduleDialog } from "./ScheduleDialog.tsx"
import { useDueRefresh } from "./useDueRefresh.ts"

const createCommand = ({ agentId, key }: { readonly agentId: string; readonly key: string }): string =>
  `curl ${location.origin}/api/v1/schedules -H "X-API-Key: ${key}" -H "Content-Type: application/json" \\
  -d '{"agent_id": "${agentId}", "cron": "0 9 * * 1-5", "timezone": "Europe/Berlin", "message": "Good morning"}'`

/** The schedules of the workspace. */
export const Schedules = () => {
  const session = useSession()
  const queries = useQueryClient()
  const list = usePages(schedulesQuery(session))
  useDueRefresh(list.rows)
  const { data: agents = [] } = useQuery({ ...agentsQuery(session), enabled: session.can("agents:read") })
  const means = useCommandMeans({ isOfAgent: true })
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<Schedule>()
  const [toDelete, setToDelete] = useState<Schedule>()
  const renew = () => queries.invalidateQueries({ queryKey: schedulesQuery(session).queryKey })
  const toggle = useMutation({
    mutationFn: (schedule: Schedule) => updateSchedule(session, schedule, { enabled: !schedule.enabled }),
    onSettled: renew
  })
  const remove = useMutation({
    mutationFn: (id: string) => deleteSchedule(session, id),
    onSuccess: async () => {
      setToDelete(undefined)
      await renew()
    }
  })
  const mayWrite = session.can("schedules:write")
  const actions = (schedule: Schedule) => (
    <RowMenu
      name={schedule.name ?? schedule.cron}
      items={
        mayWrite
          ? [
              { label: "Change", onSelect: () => setChanged(schedule) },
              { label: schedule.enabled ? "Pause" : "Go on", onSelect: () => toggle.mutate(schedule) },
              { label: "Delete", onSelect: () => setToDelete(schedule) }
            ]
          : []
      }
    />
  )
  return (
    <Screen
      title="Schedules"
      bar={
        mayWrite && (
          <Button kind="primary" onClick={() => setNew(true)}>
            <Icon name="plus" />
            New schedule
          </Button>
        )
      }
    >
      {toggle.error && (
        <div className="p-4">
          <ProblemNotice error={toggle.error} />
        </div>
      )}
      <List
        label="Schedules"
        list={list}
        columns={scheduleColumns(new Map(agents.map(({ agent_id, name }) => [agent_id, name])), actions)}
        keyOf={({ id }) => id}
        empty={
          <Empty
            sentence="Nothing runs by itself yet: say when an agent is to run."
            command={createCommand(means)}
            note={means.note}
          />
        }
      />
      {isNew && <ScheduleDialog onClose={() => setNew(false)} />}
      {changed && <ScheduleDialog before={changed} onClose={() => setChanged(undefined)} />}
      <Confirm
        open={toDelete !== undefined}
        onOpenChange={(open) => !open && setToDelete(undefined)}
        title={`Delete the schedule ${toDelete?.name ?? ""}?`}
        action="Delete"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => toDelete && remove.mutate(toDelete.id)}
      >
        It triggers no run any more. Those that it has triggered stay.
      </Confirm>
    </Screen>
  )
}
