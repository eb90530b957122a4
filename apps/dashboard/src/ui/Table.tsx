import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef } from "react"
import { classes } from "./classes.ts"
import { MoreAside } from "./MoreAside.tsx"

/** A column: how it is called, how wide it is, and what a row says in it. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** A track of a CSS grid, such as `120px` or `minmax(160px, 1fr)`. */
  readonly width: string
  /** Numbers stand at the right, below each other. */
  readonly numeric?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Called when the end comes into sight: read the next page, if there is one. */
  readonly onEnd?: () => void
}

// On a narrow screen a row is known by its first cell, which stays while the others are scrolled sideways.
const firstClasses =
  "max-sm:sticky max-sm:left-0 max-sm:z-2 max-sm:-ml-4 max-sm:max-w-[160px] max-sm:content-center max-sm:self-stretch max-sm:bg-canvas max-sm:pr-2 max-sm:pl-4 max-sm:group-focus-within:bg-hover max-sm:group-hover:bg-hover"

const ROW_PIXELS = 36

/** Rows before the end at which the next page is asked for. */
const ROWS_AHEAD = 20

/**
 * A table of any length: only the rows in sight are in the page. The first column holds a link that covers its row, on a narrow
 * screen its cell, and j and k walk along these.
 */
export const Table = <Row,>({ columns, keyOf, label, onEnd, rows }: TableProps<Row>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    getItemKey: (index) => keyOf(rows[index] as Row),
    overscan: 12
  })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const isNearEnd = last >= rows.length - ROWS_AHEAD
  useEffect(() => {
    if (isNearEnd) onEnd?.()
  }, [isNearEnd, onEnd])
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col overflow-hidden">
      <div ref={scroller} className="min-h-0 flex-1 overflow-auto" data-rows>
        <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="min-w-max">
          <div role="rowgroup" className="sticky top-0 z-2 border-b border-line bg-canvas">
            <div
              role="row"
              aria-rowindex={1}
              className="grid h-[32px] items-center gap-4 px-4 text-sm text-muted"
              style={tracks}
            >
              {columns.map(({ id, numeric, title }, at) => (
                <div key={id} role="columnheader" className={classes(numeric && "figures", at === 0 && firstClasses)}>
                  {title}
                </div>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, key, start }) => {
              const row = rows[index] as Row
              return (
                <div
                  key={key}
                  role="row"
                  aria-rowindex={index + 2}
                  className="group absolute inset-x-0 top-0 grid h-[36px] items-center gap-4 border-b border-line px-4 hover:bg-hover focus-within:bg-hover"
                  style={{ ...tracks, transform: `translateY(${start}px)` }}
                >
                  {columns.map(({ cell, id, numeric }, at) => (
                    <div
                      key={id}
                      role="cell"
                      className={classes("truncate", numeric && "figures", at === 0 && firstClasses)}
                    >
                      {cell(row)}
                    </div>
                  ))}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      <MoreAside scroller={scroller} />
    </div>
  )
}

const coverClasses =
  "text-accent after:absolute after:inset-0 after:content-[''] focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"

/** The classes of the link in the first column, which covers its row, where it shows an id or a word of the API. */
export const rowLinkClasses = `font-mono text-sm ${coverClasses}`

/** The same where it shows a name, of any length. */
export const rowNameClasses = `block truncate ${coverClasses}`
