import { Copy } from "./Copy.tsx"

/** A command to be run elsewhere, and a button that copies it. */
export const Command = ({ text }: { readonly text: string }) => (
  <div className="flex w-full min-w-0 items-start rounded-lg border border-line bg-panel text-left">
    <pre className="min-w-0 flex-1 overflow-x-auto p-3 font-mono text-sm" tabIndex={0}>
      {text}
    </pre>
    <div className="p-1.5">
      <Copy text={text} label="Copy the command" />
    </div>
  </div>
)
