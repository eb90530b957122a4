import { lazy, Suspense, useState } from "react"
import type { ErasureSubject } from "../../api/erasures.ts"
import { useSession } from "../../session/SessionContext.tsx"
import { Button } from "../../ui/Button.tsx"

const EraseDialog = lazy(async () => ({ default: (await import("./EraseDialog.tsx")).EraseDialog }))

interface EraseButtonProps {
  readonly subject: ErasureSubject
  /** How it is called in the title. */
  readonly name: string
  /** Called once nothing of it can be read any more. */
  readonly onErased: () => void
}

/** Erases something with all that belongs to it, for who may. */
export const EraseButton = ({ name, onErased, subject }: EraseButtonProps) => {
  const { can } = useSession()
  const [isOpen, setOpen] = useState(false)
  if (!can("data:erase")) return null
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Erase
      </Button>
      <Suspense>
        {isOpen && <EraseDialog subject={subject} name={name} onErased={onErased} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  )
}
