/** Keys that work wherever nobody is writing: single ones, and two after each other such as `g r`. */
import { useEffect, useEffectEvent } from "react"

/** A shortcut, as the list of them shows it. */
export interface Shortcut {
  /** The keys as a person types them, with a space between two. */
  readonly keys: string
  readonly label: string
  readonly run: () => void
}

const active = new Set<Shortcut>()

/** Every shortcut that works now, for the list. */
export const activeShortcuts = (): ReadonlyArray<Shortcut> => [...active]

/** How long the second key of two may take. */
const SEQUENCE_MILLIS = 1_000

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** While a dialog or a menu is open its keys are its own. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("[role=dialog],[role=alertdialog],[role=menu],[role=listbox]") !== null

let before = { key: "", at: 0 }

const onKey = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
  if (isWriting(event.target) || isElsewhere(event.target)) return
  const isSequence = event.timeStamp - before.at < SEQUENCE_MILLIS
  const shortcuts = activeShortcuts()
  const found =
    (isSequence ? shortcuts.find(({ keys }) => keys === `${before.key} ${event.key}`) : undefined) ??
    shortcuts.find(({ keys }) => keys === event.key)
  before = { key: found === undefined ? event.key : "", at: event.timeStamp }
  if (found === undefined) return
  event.preventDefault()
  found.run()
}

/** Lets the keys work for as long as the component is there. */
export const useShortcut = (keys: string, label: string, run: () => void): void => {
  const latest = useEffectEvent(run)
  useEffect(() => {
    const shortcut = { keys, label, run: () => latest() }
    if (active.size === 0) addEventListener("keydown", onKey)
    active.add(shortcut)
    return () => {
      active.delete(shortcut)
      if (active.size === 0) removeEventListener("keydown", onKey)
    }
  }, [keys, label])
}
