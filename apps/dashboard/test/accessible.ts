/** Holds what is on a page to WCAG 2.2 AA, in both schemes and on a narrow screen. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { assert } from "vitest"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** The rules whose findings depend on the scheme and on the width: nothing else is looked at twice. */
const AGAIN = ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable"]

/** WCAG's own width for reflow; every phone has more. */
const NARROW_PIXELS = 320

type Axe = typeof import("axe-core")

const findingsOf = async (page: Page, rules: ReadonlyArray<string> | null): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    async ([tags, chosen]) => {
      const { axe } = globalThis as unknown as { readonly axe: Axe }
      const runOnly =
        chosen === null ? { type: "tag" as const, values: tags } : { type: "rule" as const, values: chosen }
      const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] })
      // A menu hangs from its button and holds the focus: that it stands in no landmark is no fault of WCAG's.
      const isOfMenu = (selector: unknown) =>
        typeof selector === "string" && document.querySelector(selector)?.closest("[role=menu]") !== null
      return violations.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => id !== "region" || !isOfMenu(target[0]))
          .map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
      )
    },
    [TAGS, rules === null ? null : [...rules]] as const
  )

/** The parts of a page that may be wider than the screen: tables, and text that is set in columns. */
const WIDE = "[data-rows], :has(> table), pre, textarea, input"

/**
 * Everything that lies outside of the screen at its sides and is not scrolled into sight, how much wider the page itself is, and what of
 * it is scrolled sideways without being a table.
 */
const overflowOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate((wide) => {
    const found: Array<string> = []
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px wider than the screen`)
    const isScrolled = (element: Element): boolean => {
      for (let above = element.parentElement; above !== null; above = above.parentElement) {
        const { overflowX } = getComputedStyle(above)
        if (overflowX === "auto" || overflowX === "scroll") return above.scrollWidth > above.clientWidth
      }
      return false
    }
    for (const element of document.querySelectorAll("*")) {
      if (element.scrollWidth <= element.clientWidth || element.matches(wide)) continue
      if (!/^(?:auto|scroll)$/.test(getComputedStyle(element).overflowX)) continue
      found.push(`scrolled sideways: ${element.outerHTML.slice(0, 160)}`)
    }
    for (const element of document.querySelectorAll("a, button, input, textarea, [role=dialog], [role=alertdialog]")) {
      const { height, left, right, width } = element.getBoundingClientRect()
      if (height <= 1 || width <= 1 || !element.checkVisibility({ visibilityProperty: true })) continue
      if ((left < 0 || right > clientWidth + 0.5) && !isScrolled(element)) {
        found.push(`out of sight: ${element.outerHTML.slice(0, 160)}`)
      }
    }
    return found
  }, WIDE)

/** Makes the screen narrow for as long as it is looked at. */
const whileNarrow = async <A>(page: Page, look: () => Promise<A>): Promise<A> => {
  const size = page.viewportSize()
  if (size !== null) await page.setViewportSize({ ...size, width: NARROW_PIXELS })
  const seen = await look()
  if (size !== null) await page.setViewportSize(size)
  return seen
}

/** Fails unless everything on the page can be reached, on a wide screen and on a narrow one. */
export const assertWithin = async (page: Page): Promise<void> => {
  const wide = await overflowOf(page)
  const narrow = await whileNarrow(page, () => overflowOf(page))
  assert.deepStrictEqual({ wide, narrow }, { wide: [], narrow: [] })
}

/**
 * Fails unless axe finds nothing on the page, in light and dark, wide and narrow, and everything can be reached on a narrow screen. The
 * page is afterwards as it was.
 */
export const assertAccessible = async (page: Page): Promise<void> => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE)
  const wide = await findingsOf(page, null)
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)
  await page.emulateMedia({ colorScheme: isDark ? "light" : "dark" })
  const seen = await whileNarrow(page, async () => ({
    narrow: await findingsOf(page, AGAIN),
    overflow: await overflowOf(page)
  }))
  await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" })
  assert.deepStrictEqual({ wide, ...seen }, { wide: [], narrow: [], overflow: [] })
}
