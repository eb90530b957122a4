import { useIsFetching } from "@tanstack/react-query"
import { useEffect, useState } from "react"

/** Whether all that the first screen asks for has been answered: what may come later waits for it. Once true, it stays so. */
export const useIsQuiet = (): boolean => {
  const isAsking = useIsFetching() > 0
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    if (!isAsking) setQuiet(true)
  }, [isAsking])
  return isQuiet
}
