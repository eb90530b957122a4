import { useState } from "react"
import { Button } from "./Button.tsx"
import { classes } from "./classes.ts"
import { count } from "./numbers.ts"

/** Characters that are laid out at once; a line of a megabyte would hold up the page. */
const SHOWN = 12_000

/** Text of a stranger, in whatever script and length: its beginning, and more on demand. It is never anything but text. */
export const LongText = ({ mono = false, text }: { readonly text: string; readonly mono?: boolean }) => {
  const [shown, setShown] = useState(SHOWN)
  return (
    <>
      <div className={classes("foreign", mono && "font-mono text-sm")}>{text.slice(0, shown)}</div>
      {text.length > shown && (
        <Button onClick={() => setShown(shown * 4)}>{count(text.length - shown)} more characters</Button>
      )}
    </>
  )
}
