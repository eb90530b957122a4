import { useEffect, useState } from "react"

/** Content that comes sooner is shown without a flicker before it. */
const SHOWN_AFTER_MILLIS = 200

/** Grey bars in the place of rows that are being read. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MILLIS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" aria-label="Loading" className="grid gap-3 p-4">
      {isShown && [...Array(rows).keys()].map((row) => <Bar key={row} />)}
    </div>
  )
}

const Bar = () => <div className="h-[12px] max-w-[640px] animate-pulse rounded-sm bg-hover" />
