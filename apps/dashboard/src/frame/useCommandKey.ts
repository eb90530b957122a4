import { useEffect, useEffectEvent } from "react"

/** ⌘K and Ctrl K, which work while one writes, too. */
export const useCommandKey = (run: () => void): void => {
  const latest = useEffectEvent(run)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      latest()
    }
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])
}
