import { useRef } from "react"
import { MoreAside } from "../ui/MoreAside.tsx"
import { type Day, dayName, type Series, totalOf } from "./series.ts"

interface ChartTableProps {
  readonly label: string
  readonly days: ReadonlyArray<Day>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
}

/** The numbers of a chart. */
export const ChartTable = ({ days, format, label, series }: ChartTableProps) => {
  const scroller = useRef<HTMLElement>(null)
  return (
    <div className="relative overflow-hidden">
      <section ref={scroller} aria-label={`Table: ${label}`} tabIndex={0} className="max-h-[360px] overflow-auto">
        <table className="w-full" aria-label={label}>
          <thead className="text-sm text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="px-2 py-1 text-left">
                Day
              </th>
              {series.map(({ id, label: name }) => (
                <th key={id} scope="col" className="px-2 py-1 text-right">
                  {name}
                </th>
              ))}
              <th scope="col" className="px-2 py-1 text-right">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.date} className="border-b border-line">
                <th scope="row" className="px-2 py-1 text-left font-normal">
                  {dayName(day.date)}
                </th>
                {series.map(({ id }) => (
                  <td key={id} className="figures px-2">
                    {format(day.values[id] ?? 0)}
                  </td>
                ))}
                <td className="figures px-2 font-medium">{format(totalOf(day, series))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <MoreAside scroller={scroller} />
    </div>
  )
}
