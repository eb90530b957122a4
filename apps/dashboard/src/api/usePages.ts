/** A list that is read page after page, as its rows. */
import {
  hashKey,
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient
} from "@tanstack/react-query"
import { useCallback, useEffect, useMemo } from "react"

interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly next_cursor: string | null
}

/** The rows that were read so far, and how the reading stands. */
export interface Rows<Row> {
  /** Undefined until the first page has come. */
  readonly rows: ReadonlyArray<Row> | undefined
  readonly error: unknown
  /** Whether there are older ones. */
  readonly hasMore: boolean
  readonly isReadingOn: boolean
  readonly readOn: () => void
  readonly retry: () => void
}

/** How every list is read: up to 50 rows at a time. */
export const PAGE_SIZE = 50

/** Up to so many pages are read anew when the tab is looked at again; each is a request. */
const AGAIN_PAGES_MAX = 4

/** Where every list begins, and how it goes on. */
export const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }: { readonly next_cursor: string | null }) => next_cursor ?? undefined
}

/** Once a list is left, its further pages are forgotten: who comes back begins at its top, and only the first page is read anew. */
const useFirstPageAlone = (queryKey: QueryKey): void => {
  const queries = useQueryClient()
  // The key as text: the effect below would take an equal key in a new array for another list.
  const hash = hashKey(queryKey)
  useEffect(
    () => () => {
      const key: QueryKey = JSON.parse(hash)
      const updatedAt = queries.getQueryState(key)?.dataUpdatedAt
      const first = (data: InfiniteData<unknown> | undefined) =>
        data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) }
      // The first page stays as old as it is: with the present time it would count as just read.
      if (updatedAt !== undefined) queries.setQueryData(key, first, { updatedAt })
    },
    [queries, hash]
  )
}

/** Reads a list. Rows that are there stay while others are read. */
export const usePages = <Answer extends Page, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Answer, Error, InfiniteData<Answer>, Key, string | undefined>
): Rows<Answer["items"][number]> => {
  useFirstPageAlone(options.queryKey)
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    ...options,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= AGAIN_PAGES_MAX
  })
  const rows = useMemo(() => data?.pages.flatMap(({ items }): ReadonlyArray<Answer["items"][number]> => items), [data])
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  return { rows, error, hasMore: hasNextPage, isReadingOn: isFetchingNextPage, readOn, retry: () => void refetch() }
}
