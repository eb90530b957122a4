/** Elements of the page. Whatever the document says becomes text, never markup. */

/** An element of this name with these attributes and children; a child that is undefined is left out. */
export const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children.flat().filter((child) => child !== undefined))
  return made
}

/** A line of text, in which `` ` `` marks code. */
export const words = (text) =>
  text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? element("code", {}, part.slice(1, -1)) : part))

/** A part of a text: a heading, a list, or a paragraph. */
const block = (text) => {
  const [, hashes, heading] = /^(#+) (.+)$/.exec(text) ?? []
  if (hashes !== undefined) return element("h2", {}, words(heading))
  const lines = text.split("\n")
  if (lines.every((line) => /^[-*] /.test(line))) {
    return element(
      "ul",
      {},
      lines.map((line) => element("li", {}, words(line.slice(2))))
    )
  }
  return element("p", {}, words(text))
}

/** A text of the document: headings, lists, code, and paragraphs. */
export const prose = (text = "") =>
  text.split(/^```.*$/m).flatMap((part, index) => {
    if (index % 2 === 1) return [element("pre", {}, part.trim())]
    return part
      .split(/\n{2,}/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== "")
      .map(block)
  })

/** A part that is shown once it is opened, and not made before. */
export const folded = (title, content) => {
  const made = element("details", {}, element("summary", {}, title))
  let isMade = false
  made.addEventListener("toggle", () => {
    if (isMade) return
    isMade = true
    made.append(...content())
  })
  return made
}
