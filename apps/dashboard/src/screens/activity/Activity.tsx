import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useMemo } from "react"
import { activityQuery } from "../../api/feeds.ts"
import { usePages } from "../../api/usePages.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { List } from "../../ui/List.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { ActivityFilterBar } from "./ActivityFilterBar.tsx"
import { activityColumns } from "./columns.tsx"
import { type ActivitySearch, filtersOf } from "./filters.ts"

const EntryDialog = lazy(async () => ({ default: (await import("./EntryDialog.tsx")).EntryDialog }))

const route = getRouteApi("/frame/activity")

/** The record of who did what, newest first. */
export const Activity = () => {
  const session = useSession()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { about, actor, entry: entryId, resource, span } = search
  // One time for all pages: with the time of each drawing it would be another list each time.
  const filters = useMemo(() => filtersOf({ about, actor, resource, span }, Date.now()), [about, actor, resource, span])
  const list = usePages(activityQuery(session, filters))
  useRowKeys()
  const show = (next: ActivitySearch) => void navigate({ search: next })
  const entry = list.rows?.find(({ id }) => id === entryId)
  const isFiltered = about !== undefined || actor !== undefined || resource !== undefined || span !== undefined
  return (
    <Screen title="Activity" bar={<ActivityFilterBar search={search} onChange={show} />}>
      <List
        label="Activity"
        list={list}
        columns={activityColumns}
        keyOf={({ id }) => id}
        empty={
          <Empty
            {...(isFiltered
              ? {
                  sentence: "Nothing that was done fits these filters.",
                  action: <Button onClick={() => show({})}>Show all activity</Button>
                }
              : { sentence: "Nothing has been done here yet: every change is recorded, with who made it." })}
          />
        }
      />
      <Suspense>
        {entry !== undefined && <EntryDialog entry={entry} onClose={() => show({ ...search, entry: undefined })} />}
      </Suspense>
    </Screen>
  )
}
