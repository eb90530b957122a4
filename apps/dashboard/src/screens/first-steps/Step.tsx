import type { ReactNode } from "react"
import { Icon } from "../../ui/Icon.tsx"

interface StepProps {
  readonly title: string
  /** Why one does it, in a sentence. */
  readonly sentence: string
  readonly isDone: boolean
  readonly children: ReactNode
}

/** One of the first steps. */
export const Step = ({ children, isDone, sentence, title }: StepProps) => (
  <section aria-label={title} className="grid min-w-0 justify-items-start gap-2">
    <h2 className="flex items-center gap-2 font-semibold">
      {title}
      {isDone && (
        <span className="flex items-center gap-1 text-sm font-medium text-good">
          <Icon name="check" />
          Done
        </span>
      )}
    </h2>
    <p className="text-muted">{sentence}</p>
    {children}
  </section>
)
