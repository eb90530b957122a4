import { memo, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { Button } from "../../ui/Button.tsx"
import { classes } from "../../ui/classes.ts"
import { count } from "../../ui/numbers.ts"
import { BlockView } from "./BlockView.tsx"
import type { Block } from "./logBlocks.ts"

/** The most blocks that are drawn at a time, however long the log is. */
const SHOWN = 800

/** How many blocks the drawn part moves by. While the end is followed, only the last so many are drawn. */
const STEP = 400

/** How near to its end, in pixels, a log counts as being read at its end. */
const AT_END = 48

/** The events by which a person scrolls. */
const HANDS = ["wheel", "touchmove", "keydown", "pointerdown"] as const

// Of a log that grows, only the blocks that changed are drawn again.
const Row = memo(({ block }: { readonly block: Block }) => (
  <li
    data-block={block.key}
    className="border-b border-line px-4 py-2 [contain-intrinsic-size:auto_40px] [content-visibility:auto]"
  >
    <BlockView block={block} />
  </li>
))

/** The log. It follows its end while that is in sight, and stays where it is while somebody reads further up. */
export const LogView = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => {
  /** The first block that is drawn; undefined while the end is followed. */
  const [pinned, setPinned] = useState<number>()
  const scroller = useRef<HTMLElement>(null)
  const list = useRef<HTMLOListElement>(null)
  /** Whether a person has scrolled since the end was last in sight: the browser scrolls by itself, too. */
  const isByHand = useRef(false)
  const first = pinned ?? Math.max(0, blocks.length - STEP)
  const shown = blocks.slice(first, first + SHOWN)
  const later = blocks.length - first - shown.length
  const isFollowed = pinned === undefined
  useEffect(() => {
    const { current: box } = scroller
    const { current: entries } = list
    if (!isFollowed || box === null || entries === null) return
    // The end moves when blocks come, when their real height is known once they are drawn, and when a question opens below the log.
    const sizes = new ResizeObserver(() => box.scrollTo({ top: box.scrollHeight }))
    sizes.observe(box)
    sizes.observe(entries)
    return () => sizes.disconnect()
  }, [isFollowed])
  useEffect(() => {
    const { current: box } = scroller
    const mark = () => {
      isByHand.current = true
    }
    for (const type of HANDS) box?.addEventListener(type, mark, { passive: true })
    return () => {
      for (const type of HANDS) box?.removeEventListener(type, mark)
    }
  }, [])
  /** Draws the part from `to` on, or the end, and keeps the block of this key at that edge of the view. */
  const move = (to: number | undefined, key?: number, edge?: "start" | "end") => {
    // Drawn at once: the block has to be there before it is scrolled to.
    flushSync(() => setPinned(to))
    const box = scroller.current
    if (edge !== undefined) box?.querySelector(`[data-block="${key}"]`)?.scrollIntoView({ block: edge })
    // The button that was pressed may be gone, and with it the keyboard's focus.
    if (box?.contains(document.activeElement) === false) box.focus({ preventScroll: true })
  }
  return (
    <section
      ref={scroller}
      aria-label="Log"
      tabIndex={0}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        const isAtEnd = later === 0 && scrollHeight - scrollTop - clientHeight < AT_END
        // Where entries leave or turn out smaller, the browser scrolls by itself: only a person leaves the end.
        const isLeft = !isAtEnd && isByHand.current
        isByHand.current = isLeft
        setPinned((before) => (isAtEnd ? undefined : (before ?? (isLeft ? first : undefined))))
      }}
      // While the end is followed the browser must not hold on to entries that leave at the beginning.
      className={classes("min-h-0 flex-1 overflow-auto", isFollowed && "[overflow-anchor:none]")}
    >
      {first > 0 && (
        <div className="flex gap-2 p-3">
          <Button onClick={() => move(Math.max(0, first - STEP), shown[0]?.key, "start")}>
            {count(first)} earlier entries
          </Button>
          <Button onClick={() => move(0, blocks[0]?.key, "start")}>To the beginning</Button>
        </div>
      )}
      <ol ref={list}>
        {shown.map((block) => (
          <Row key={block.key} block={block} />
        ))}
      </ol>
      {later > 0 && (
        <div className="flex gap-2 p-3">
          <Button onClick={() => move(first + STEP, shown.at(-1)?.key, "end")}>{count(later)} later entries</Button>
          <Button onClick={() => move(undefined)}>To the end</Button>
        </div>
      )}
    </section>
  )
}
