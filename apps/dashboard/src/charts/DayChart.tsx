import { type ReactNode, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { ChartTable } from "./ChartTable.tsx"
import { StackedBars } from "./StackedBars.tsx"
import { type Day, dayName, type Series, totalOf } from "./series.ts"

interface DayChartProps {
  readonly title: string
  readonly days: ReadonlyArray<Day>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
  /** Makes the format of the axis's marks from the distance between two of them; unless given, they are shown by `format`. */
  readonly axis?: (step: number) => (value: number) => string
  /** Whether the values are whole numbers, as counts are: the axis has no marks between them. */
  readonly whole?: boolean
  /** Beside the title. */
  readonly bar?: ReactNode
}

interface LegendProps extends Pick<DayChartProps, "format" | "series"> {
  readonly day: Day
}

const Legend = ({ day, format, series }: LegendProps) => (
  <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
    <li className="font-medium tabular-nums">
      {dayName(day.date)} {format(totalOf(day, series))}
    </li>
    {series.map(({ fill, id, label }) => (
      <li key={id} className="flex min-w-0 items-center gap-1.5">
        <svg width={10} height={10} aria-hidden="true" className="shrink-0">
          <rect width={10} height={10} rx={2} className={fill} />
        </svg>
        <span className="foreign">{label}</span>
        <span className="text-muted tabular-nums">{format(day.values[id] ?? 0)}</span>
      </li>
    ))}
  </ul>
)

/** A chart by day, with the numbers of the chosen day below and all of them as a table. */
export const DayChart = ({ axis, bar, days, format, series, title, whole = false }: DayChartProps) => {
  const [isTable, setTable] = useState(false)
  const [picked, setPicked] = useState<number>()
  // The newest day, until one is chosen.
  const chosen = Math.min(picked ?? days.length - 1, days.length - 1)
  const day = days[chosen]
  return (
    <section aria-label={title} className="grid gap-3 border-b border-line p-4">
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto font-semibold">{title}</h2>
        {bar}
        <Button aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </Button>
      </header>
      {isTable ? (
        <ChartTable label={title} days={days} series={series} format={format} />
      ) : (
        <>
          <StackedBars
            label={`${title}, by day`}
            days={days}
            series={series}
            format={format}
            axis={axis}
            whole={whole}
            chosen={chosen}
            onChoose={setPicked}
          />
          {day !== undefined && <Legend day={day} series={series} format={format} />}
        </>
      )}
    </section>
  )
}
