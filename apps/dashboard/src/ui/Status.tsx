import type { ReactNode } from "react"
import { classes } from "./classes.ts"

const TONES = {
  good: "bg-good",
  bad: "bg-bad",
  warn: "bg-warn",
  busy: "bg-busy animate-pulse",
  idle: "bg-edge"
}

export type Tone = keyof typeof TONES

/** A state as a dot and a word: never by colour alone. */
export const Status = ({ tone, word }: { readonly tone: Tone; readonly word: ReactNode }) => (
  <span className="inline-flex items-center gap-2 whitespace-nowrap">
    <span aria-hidden="true" className={classes("size-[8px] shrink-0 rounded-full", TONES[tone])} />
    {word}
  </span>
)
