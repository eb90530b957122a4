import type { ReactNode } from "react"
import type { Rows } from "../api/usePages.ts"
import { ProblemNotice } from "./ProblemNotice.tsx"
import { Skeleton } from "./Skeleton.tsx"
import { type Column, Table } from "./Table.tsx"

interface ListProps<Row> {
  readonly label: string
  readonly list: Rows<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  /** Stands where there are no rows. */
  readonly empty: ReactNode
}

/** A list in each of its states: being read, failed, without rows, and with rows. */
export const List = <Row,>({ columns, empty, keyOf, label, list }: ListProps<Row>) => {
  const { error, readOn, retry, rows } = list
  return (
    <>
      {error !== null && (
        <div className="p-4">
          <ProblemNotice error={error} onRetry={retry} />
        </div>
      )}
      {rows === undefined && error === null && <Skeleton />}
      {rows !== undefined && rows.length > 0 && (
        <Table label={label} columns={columns} rows={rows} keyOf={keyOf} onEnd={readOn} />
      )}
      {rows?.length === 0 && error === null && empty}
    </>
  )
}
