import { count } from "../../ui/numbers.ts"

/** In the place of a number: what belongs to many runs or events is not counted at all. */
const MANY = "more than are counted"

interface CountsProps {
  readonly label: string
  /** By kinds of things. A text is shown as it is; null is for more than were counted. */
  readonly counts: ReadonlyArray<readonly [kind: string, amount: number | string | null]>
}

/** How many things of each kind; kinds of which there are none are left out. */
export const Counts = ({ counts, label }: CountsProps) => (
  <table aria-label={label} className="w-full">
    <tbody>
      {counts
        .filter(([, amount]) => amount !== 0)
        .map(([kind, amount]) => (
          <tr key={kind} className="border-b border-line">
            <th scope="row" className="py-1 text-left font-normal text-muted">
              {kind.replaceAll("_", " ")}
            </th>
            <td className="figures py-1">{typeof amount === "number" ? count(amount) : (amount ?? MANY)}</td>
          </tr>
        ))}
    </tbody>
  </table>
)
