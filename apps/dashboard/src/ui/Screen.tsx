import type { ReactNode } from "react"
import { useTitle } from "./useTitle.ts"

/** A group that stays together in a bar: on a narrow screen it comes below the title as one, so that no button is left alone there. */
export const barGroupClasses =
  "flex flex-wrap items-center justify-end gap-x-3 gap-y-2 max-sm:justify-start max-sm:gap-x-2"

interface ScreenProps {
  readonly title: string
  /** Beside the title: filters and actions. */
  readonly bar?: ReactNode
  readonly children: ReactNode
}

/** A screen: its title, its bar, and what fills the rest. */
export const Screen = ({ bar, children, title }: ScreenProps) => {
  useTitle(title)
  return (
    <>
      <header className="flex min-h-[52px] flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2">
        <h1 className="mr-auto text-lg font-semibold">{title}</h1>
        {bar}
      </header>
      {children}
    </>
  )
}
