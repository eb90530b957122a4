import { useShortcut } from "./shortcuts.ts"

/** The links of the rows in sight, top to bottom. */
const rowLinks = (): ReadonlyArray<Element | null> =>
  [...document.querySelectorAll<HTMLElement>("[data-rows] [role=row] a")].sort(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top
  )

const step = (by: 1 | -1): void => {
  const links = rowLinks()
  const place = links.indexOf(document.activeElement)
  const next = links[place === -1 ? 0 : place + by]
  if (!(next instanceof HTMLElement)) return
  next.focus()
  next.scrollIntoView({ block: "nearest" })
}

/** `j` and `k` walk along the rows of a table; Enter follows the link, as everywhere. */
export const useRowKeys = (): void => {
  useShortcut("j", "Next row", () => step(1))
  useShortcut("k", "Row before", () => step(-1))
}
