import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { isAllAt } from "../api/problems.ts"
import { FormFaultsContext } from "./formFaults.ts"
import { ProblemNotice } from "./ProblemNotice.tsx"

interface FormProps {
  /** How it is called, where no title above says so. */
  readonly label?: string
  /** Why what was written was not taken. */
  readonly error: unknown
  /** Its buttons, below why it was not taken. */
  readonly actions: ReactNode
  /** How the line of its buttons is drawn. */
  readonly actionsClassName?: string
  readonly onSubmit: () => void
  /** Called when something is written or ticked in it. */
  readonly onWrite?: () => void
  readonly children: ReactNode
}

/** Scrolls to the first fault, which may be out of sight while the button is not, and puts the focus into its box. */
const showFault = (form: HTMLFormElement): void => {
  const alert = form.querySelector("[role=alert]")
  const field = alert?.closest("[data-field]")
  const fault = field ?? alert
  fault?.scrollIntoView({ block: "nearest" })
  // The button that sent it has lost the focus while it was disabled: it gets it back where no box is at fault.
  const isLost = !form.contains(document.activeElement)
  const box = field?.querySelector("input, textarea, button") ?? (isLost ? form.querySelector("[type=submit]") : null)
  if (box instanceof HTMLElement) box.focus({ preventScroll: true })
}

/** A form that shows why it was not taken: at the box where there is one, else above its buttons. */
export const Form = ({
  actions,
  actionsClassName = "flex flex-wrap justify-end gap-2",
  children,
  error,
  label,
  onSubmit,
  onWrite
}: FormProps) => {
  const [members] = useState(() => new Set<string>())
  const faults = useMemo(() => ({ error, members }), [error, members])
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error && form.current) showFault(form.current)
  }, [error])
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} onSubmit={send} onInput={onWrite} className="flex flex-col gap-3" aria-label={label}>
      <FormFaultsContext value={faults}>{children}</FormFaultsContext>
      {!isAllAt(error, members) && <ProblemNotice error={error} />}
      <div className={actionsClassName}>{actions}</div>
    </form>
  )
}
