import { memo, useLayoutEffect, useRef, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/numbers.ts"
import { BlockView } from "./BlockView.tsx"
import type { Block } from "./logBlocks.ts"

/** Blocks that are drawn; earlier ones come on demand. */
const SHOWN = 400

/** How near to its end, in pixels, a log counts as being read at its end. */
const AT_END = 48

const Row = memo(({ block }: { readonly block: Block }) => (
  <li className="border-b border-line px-4 py-2 [contain-intrinsic-size:auto_40px] [content-visibility:auto]">
    <BlockView block={block} />
  </li>
))

/** The log. It follows its end while that is in sight, and stays where it is while somebody reads further up. */
export const LogView = ({ blocks }: { readonly blocks: ReadonlyArray<Block> }) => {
  const [shown, setShown] = useState(SHOWN)
  const scroller = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (isAtEnd.current && blocks.length > 0) scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [blocks])
  const hidden = Math.max(0, blocks.length - shown)
  return (
    <section
      ref={scroller}
      aria-label="Log"
      tabIndex={0}
      onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END
      }}
      className="min-h-0 flex-1 overflow-auto"
    >
      {hidden > 0 && (
        <div className="p-3">
          <Button onClick={() => setShown(shown * 4)}>{count(hidden)} earlier entries</Button>
        </div>
      )}
      <ol>
        {blocks.slice(hidden).map((block) => (
          <Row key={block.key} block={block} />
        ))}
      </ol>
    </section>
  )
}
