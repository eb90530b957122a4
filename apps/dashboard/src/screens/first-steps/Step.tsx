import type { ReactNode } from "react"

interface StepProps {
  readonly title: string
  /** Why one does it, in a sentence. */
  readonly sentence: string
  readonly children: ReactNode
}

/** One of the first steps. */
export const Step = ({ children, sentence, title }: StepProps) => (
  <section aria-label={title} className="grid min-w-0 justify-items-start gap-2">
    <h2 className="font-semibold">{title}</h2>
    <p className="text-muted">{sentence}</p>
    {children}
  </section>
)
