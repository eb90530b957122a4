import { Copy } from "./Copy.tsx"

/** A command to be run elsewhere, and a button that copies it. */
export const Command = ({ text }: { readonly text: string }) => (
  <div className="relative w-full min-w-0 rounded-lg border border-line bg-panel text-left">
    <pre className="overflow-x-auto p-3 pr-12 font-mono text-sm" tabIndex={0}>
      {text}
    </pre>
    <div className="absolute top-1.5 right-1.5 rounded-md bg-panel">
      <Copy text={text} label="Copy the command" />
    </div>
  </div>
)
