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
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)
      )
    },
    [TAGS, rules === null ? null : [...rules]] as const
  )

/** All that lies outside of the screen at its sides, where nothing scrolls it into sight, and how much wider the page itself is. */
export const overflowOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
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
    for (const element of document.querySelectorAll("a, button, input, textarea, [role=dialog], [role=alertdialog]")) {
      const { height, left, right, width } = element.getBoundingClientRect()
      if (height <= 1 || width <= 1 || !element.checkVisibility({ visibilityProperty: true })) continue
      if ((left < 0 || right > clientWidth + 0.5) && !isScrolled(element)) {
        found.push(`out of sight: ${element.outerHTML.slice(0, 160)}`)
      }
    }
    return found
  })

/**
 * Fails unless axe finds nothing on the page, in light and dark, wide and narrow, and everything can be reached on a narrow screen. The
 * page is afterwards as it was.
 */
export const assertAccessible = async (page: Page): Promise<void> => {
  const size = page.viewportSize()
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE)
  const wide = await findingsOf(page, null)
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches)
  await page.emulateMedia({ colorScheme: isDark ? "light" : "dark" })
  if (size !== null) await page.setViewportSize({ ...size, width: NARROW_PIXELS })
  const narrow = await findingsOf(page, AGAIN)
  const overflow = await overflowOf(page)
  await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" })
  if (size !== null) await page.setViewportSize(size)
  assert.deepStrictEqual({ wide, narrow, overflow }, { wide: [], narrow: [], overflow: [] })
}
