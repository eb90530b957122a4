/** A sentence of the server: what it quotes between backticks is drawn as what one writes, and not with them. */
export const Quoted = ({ text }: { readonly text: string }) => {
  const parts = text.split("`")
  // Without an end it quotes nothing.
  if (parts.length % 2 === 0) return text
  return parts.map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text stay where they are.
      <code key={place} className="font-mono text-sm">
        {part}
      </code>
    )
  )
}
