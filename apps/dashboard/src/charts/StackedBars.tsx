import { scaleBand, scaleLinear } from "d3-scale"
import { stack } from "d3-shape"
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from "react"
import { type Day, dayName, type Series, totalOf } from "./series.ts"
import { useWidth } from "./useWidth.ts"

interface StackedBarsProps {
  readonly label: string
  readonly days: ReadonlyArray<Day>
  readonly series: ReadonlyArray<Series>
  readonly format: (value: number) => string
  /** As in `DayChart`. */
  readonly axis: ((step: number) => (value: number) => string) | undefined
  /** As in `DayChart`. */
  readonly whole: boolean
  /** The chosen day's place. */
  readonly chosen: number
  readonly onChoose: (place: number) => void
}

const HEIGHT = 200
const MARGIN = { top: 8, right: 8, bottom: 24, left: 72 }

/** Pixels that the name of a day takes. */
const NAME_PIXELS = 64

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }

/** Bars by day. The arrow keys, Home and End choose a day, and so does the pointer. */
export const StackedBars = ({ axis, chosen, days, format, label, onChoose, series, whole }: StackedBarsProps) => {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const { layers, x, y } = useMemo(() => {
    const most = Math.max(0, ...days.map((day) => totalOf(day, series)))
    return {
      layers: stack<Day>()
        .keys(series.map(({ id }) => id))
        .value((day, id) => day.values[id] ?? 0)([...days]),
      x: scaleBand<number>()
        .domain(days.keys())
        .range([MARGIN.left, Math.max(MARGIN.left + 1, width - MARGIN.right)])
        .paddingInner(0.25),
      y: scaleLinear()
        .domain([0, most === 0 ? 1 : most])
        .range([HEIGHT - MARGIN.bottom, MARGIN.top])
        .nice(4)
    }
  }, [days, series, width])
  const day = days[chosen]
  const choose = (place: number) => onChoose(Math.min(days.length - 1, Math.max(0, place)))
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    const step = STEPS[key]
    if (step === undefined && key !== "Home" && key !== "End") return
    event.preventDefault()
    choose(step === undefined ? (key === "Home" ? 0 : days.length - 1) : chosen + step)
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left
    choose(Math.floor((at - MARGIN.left) / x.step()))
  }
  const ticks = y.ticks(4).filter((tick) => !whole || Number.isInteger(tick))
  // The first mark is 0, so the second one is the distance between two.
  const formatTick = axis?.(ticks[1] ?? 0) ?? format
  // The names of all days would not fit side by side.
  const daysPerName = Math.max(1, Math.ceil(NAME_PIXELS / x.step()))
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, days.length - 1)}
      aria-valuenow={chosen}
      aria-valuetext={day === undefined ? "" : `${dayName(day.date)}: ${format(totalOf(day, series))}`}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      // It follows a screen that becomes narrower, instead of holding it wide.
      className="min-w-0 rounded-md"
    >
      <svg width={width} height={HEIGHT} aria-hidden="true" className="block fill-muted text-xs">
        {ticks.map((tick) => (
          <g key={tick} transform={`translate(0,${y(tick)})`}>
            <line x1={MARGIN.left} x2={width - MARGIN.right} className="stroke-line" />
            <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end">
              {formatTick(tick)}
            </text>
          </g>
        ))}
        {day !== undefined && (
          <rect
            x={x(chosen)}
            width={x.bandwidth()}
            y={MARGIN.top}
            height={HEIGHT - MARGIN.top - MARGIN.bottom}
            className="fill-hover"
          />
        )}
        {layers.map((layer, at) => (
          <g key={layer.key} className={series[at]?.fill}>
            {layer.map(([from, to], place) => (
              <rect
                key={days[place]?.date}
                x={x(place)}
                width={x.bandwidth()}
                y={y(to)}
                height={Math.max(0, y(from) - y(to))}
              />
            ))}
          </g>
        ))}
        {days.map(
          ({ date }, place) =>
            place % daysPerName === 0 && (
              <text key={date} x={(x(place) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} textAnchor="middle">
                {dayName(date)}
              </text>
            )
        )}
      </svg>
    </div>
  )
}
