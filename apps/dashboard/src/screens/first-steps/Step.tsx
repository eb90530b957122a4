import type { ReactNode } from "react"
import { classes } from "../../ui/classes.ts"
import { Icon } from "../../ui/Icon.tsx"

/** How a step stands among the others. */
export interface StepState {
  readonly isDone: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}

interface StepProps extends StepState {
  readonly title: string
  /** Why one does it, in a sentence. */
  readonly sentence: string
  readonly children: ReactNode
}

/** One of the first steps: a row, and below it what to do while it is open. */
export const Step = ({ children, isDone, isOpen, onToggle, sentence, title }: StepProps) => (
  <section aria-label={title} className="min-w-0 border-t border-line">
    <h2>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-[40px] w-full items-center gap-2 text-left font-semibold hover:bg-hover"
      >
        <span className={classes("text-muted", isOpen && "rotate-180")}>
          <Icon name="chevron" />
        </span>
        {title}
        {isDone && (
          <span className="flex items-center gap-1 text-sm font-medium text-good">
            <Icon name="check" />
            Done
          </span>
        )}
      </button>
    </h2>
    <div hidden={!isOpen} className="grid min-w-0 justify-items-start gap-2 pb-4 pl-6 max-sm:pl-0">
      <p className="text-muted">{sentence}</p>
      {children}
    </div>
  </section>
)
