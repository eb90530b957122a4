import type { ReactNode } from "react"
import { Command } from "./Command.tsx"

interface EmptyProps {
  /** One sentence: why nothing is here, and what brings something. */
  readonly sentence: string
  /** The exact command, with the real address. */
  readonly command?: string
  /** Stands below the command: where to get what is to be put in there. */
  readonly note?: ReactNode
  /** One button. */
  readonly action?: ReactNode
}

/** Stands where a list has nothing yet. */
export const Empty = ({ action, command, note, sentence }: EmptyProps) => (
  <div className="mx-auto grid w-full max-w-[640px] grid-cols-1 justify-items-center gap-4 px-4 py-16 text-center">
    <p className="text-lg text-muted">{sentence}</p>
    {command && <Command text={command} />}
    {note}
    {action}
  </div>
)
