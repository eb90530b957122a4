import { type RefObject, useEffect, useState } from "react"

/** Whether what is scrolled sideways has more at its right. */
const useMoreAside = (scroller: RefObject<HTMLElement | null>): boolean => {
  const [hasMore, setMore] = useState(false)
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    // Widths are rounded: a pixel at the end is no column.
    const look = () => setMore(element.scrollLeft + element.clientWidth < element.scrollWidth - 1)
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    for (const child of element.children) sizes.observe(child)
    element.addEventListener("scroll", look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener("scroll", look)
    }
  }, [scroller])
  return hasMore
}

/** A shadow at the right edge of a table that goes on there; it stands beside the scroller, in a box that cuts it off. */
export const MoreAside = ({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) =>
  useMoreAside(scroller) ? (
    <div
      aria-hidden="true"
      data-more
      className="pointer-events-none absolute inset-y-0 -right-px z-3 w-px shadow-aside"
    />
  ) : null
