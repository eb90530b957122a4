import type { ComponentProps } from "react"
import { classes } from "./classes.ts"

const KINDS = {
  /** The one thing to do here. */
  primary: "bg-action text-on-action hover:bg-action-hover border-transparent",
  plain: "bg-panel hover:bg-hover border-line",
  /** Within a row or a bar. */
  quiet: "hover:bg-hover border-transparent text-muted hover:text-ink",
  /** For acts that cannot be taken back. */
  danger: "bg-panel hover:bg-bad-tint border-line text-bad"
}

export type ButtonKind = keyof typeof KINDS

/** How a button, or a link that looks like one, is drawn. */
export const buttonClasses = (kind: ButtonKind = "plain"): string =>
  classes(
    "inline-flex h-[32px] shrink-0 items-center justify-center gap-1.5 rounded-md border px-2.5 font-medium whitespace-nowrap select-none",
    "disabled:opacity-50 aria-disabled:opacity-50 aria-pressed:border-edge aria-pressed:bg-tint",
    KINDS[kind]
  )

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: ButtonKind
}

/** A button. While `disabled` it cannot be pressed a second time. */
export const Button = ({ className, kind, type = "button", ...rest }: ButtonProps) => (
  <button type={type} className={classes(buttonClasses(kind), className)} {...rest} />
)
