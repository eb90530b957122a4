import { Quoted } from "./Quoted.tsx"

/** The fault of what a box says; nothing where there is none. */
export const FaultText = ({ fault, id }: { readonly fault: string | undefined; readonly id: string }) =>
  fault === undefined ? null : (
    <p id={id} role="alert" className="foreign text-bad">
      <Quoted text={fault} />
    </p>
  )
