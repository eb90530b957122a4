/** A list that is read page after page, as its rows. */
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery
} from "@tanstack/react-query"
import { useCallback, useMemo } from "react"

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

/** Where every list begins, and how it goes on. */
export const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }: { readonly next_cursor: string | null }) => next_cursor ?? undefined
}

/** Reads a list. Rows that are there stay while others are read. */
export const usePages = <One extends Page, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<One, Error, InfiniteData<One>, Key, string | undefined>
): Rows<One["items"][number]> => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = useInfiniteQuery({
    ...options,
    placeholderData: keepPreviousData
  })
  const rows = useMemo(() => data?.pages.flatMap(({ items }): ReadonlyArray<One["items"][number]> => items), [data])
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  return { rows, error, hasMore: hasNextPage, isReadingOn: isFetchingNextPage, readOn, retry: () => void refetch() }
}
