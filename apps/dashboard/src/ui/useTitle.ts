import { useEffect } from "react"

/** The title of the tab. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Agent Platform`
  }, [title])
}
