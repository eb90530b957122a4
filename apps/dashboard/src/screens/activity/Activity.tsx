import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { lazy, Suspense, useCallback, useMemo } from "react"
import { activityQuery } from "../../api/feeds.ts"
import { useRowKeys } from "../../frame/useRowKeys.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"
import { Empty } from "../../ui/Empty.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { Screen } from "../../ui/Screen.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Table } from "../../ui/Table.tsx"
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
  const { actor, entry: entryId, resource, span } = search
  // All pages have to be asked for with the same time.
  const filters = useMemo(() => filtersOf({ actor, resource, span }, Date.now()), [actor, resource, span])
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, isPending, refetch } = useInfiniteQuery({
    ...activityQuery(session, filters),
    placeholderData: keepPreviousData
  })
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  useRowKeys()
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  const show = (next: ActivitySearch) => void navigate({ search: next })
  const entry = rows.find(({ id }) => id === entryId)
  const isFiltered = actor !== undefined || resource !== undefined || span !== undefined
  return (
    <Screen title="Activity" bar={<ActivityFilterBar search={search} onChange={show} />}>
      {error !== null && (
        <div className="p-4">
          <ProblemNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {isPending && <Skeleton />}
      {rows.length > 0 && (
        <Table label="Activity" columns={activityColumns} rows={rows} keyOf={({ id }) => id} onEnd={readOn} />
      )}
      {data !== undefined && rows.length === 0 && (
        <Empty
          {...(isFiltered
            ? {
                sentence: "Nothing that was done fits these filters.",
                action: <Button onClick={() => show({})}>Show all activity</Button>
              }
            : { sentence: "Nothing has been done here yet: every change is recorded, with who made it." })}
        />
      )}
      <Suspense>
        {entry !== undefined && <EntryDialog entry={entry} onClose={() => show({ ...search, entry: undefined })} />}
      </Suspense>
    </Screen>
  )
}
