import { useEffect, useState } from "react"
import { classes } from "./classes.ts"
import { Icon } from "./Icon.tsx"

const SAID_MILLIS = 1_500

/** Whether something has been copied a moment ago, and what copies it. */
const useCopied = (text: string) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SAID_MILLIS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return [isCopied, () => void copy().catch(() => undefined)] as const
}

const Said = ({ isCopied }: { readonly isCopied: boolean }) => (
  <span role="status" className="sr-only">
    {isCopied ? "Copied" : ""}
  </span>
)

/** A button that copies a text. */
export const Copy = ({ label, text }: { readonly text: string; readonly label: string }) => {
  const [isCopied, copy] = useCopied(text)
  return (
    <button
      type="button"
      aria-label={label}
      onClick={copy}
      className="inline-flex size-[28px] items-center justify-center rounded-md text-muted hover:bg-hover"
    >
      <Icon name={isCopied ? "check" : "copy"} />
      <Said isCopied={isCopied} />
    </button>
  )
}

/** How many characters of an id tell it from its neighbours: the last are by chance, the first are the time. */
const SHOWN = 8

/** An id: its last characters, all of it on hover, and a click copies it. */
export const CopyId = ({
  id,
  label,
  whole = false
}: {
  readonly id: string
  readonly label: string
  readonly whole?: boolean
}) => {
  const [isCopied, copy] = useCopied(id)
  const shown = whole ? id : id.slice(-SHOWN)
  return (
    <button
      type="button"
      title={id}
      // The name of a button holds what stands on it.
      aria-label={`Copy ${label} ${shown}`}
      onClick={copy}
      className={classes(
        "relative z-1 rounded-sm font-mono text-sm hover:bg-hover",
        isCopied ? "text-good" : "text-muted",
        whole && "break-all text-left"
      )}
    >
      {shown}
      <Said isCopied={isCopied} />
    </button>
  )
}
