/** Reads TypeScript just far enough to distinguish code from comments, strings and regular expressions. */

/** A string or template: where its opening quote stands, and its text, without the code between the `${` and `}` of a template. */
export interface Literal {
  readonly at: number
  readonly text: string
}

/** A source taken apart. `code` has the source's length: comments and the insides of literals are spaces in it. */
export interface Source {
  readonly code: string
  readonly literals: ReadonlyArray<Literal>
}

const REGEX_MAY_FOLLOW =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|yield|await|else|do|instanceof))$/
const REGEX = /\/(?:\[(?:\\.|[^\]\\\n])*\]|\\.|[^/\\[\n])+\//y
const QUOTED = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const SHEBANG = /#![^\n]*/y
const TEMPLATE_PIECE = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y

const spaces = (text: string): string => text.replace(/[^\n]/g, " ")

/** Takes a source apart. Text that is not TypeScript gives no error, only a poor reading. */
export const readSource = (text: string): Source => {
  const literals: Array<Literal> = []
  /** Templates that are open here, innermost last, each with the depth of braces at which the code in it ends. */
  const open: Array<{ readonly at: number; text: string; readonly depth: number }> = []
  // Grows by as many characters as are read: its end is the place in the text.
  let code = ""
  let depth = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = code.length
    return pattern.exec(text)?.[0]
  }
  const readTemplate = () => {
    const template = open.at(-1)
    if (template === undefined) return
    const piece = match(TEMPLATE_PIECE) ?? ""
    template.text += piece
    code += spaces(piece)
    if (text.startsWith("${", code.length)) {
      code += "${"
      return
    }
    open.pop()
    code += text.slice(code.length, code.length + 1)
    literals.push({ at: template.at, text: template.text })
  }
  while (code.length < text.length) {
    const at = code.length
    const character = text.charAt(at)
    const comment = match(COMMENT) ?? (at === 0 ? match(SHEBANG) : undefined)
    const quoted = match(QUOTED)
    const regex = character === "/" && REGEX_MAY_FOLLOW.test(code.trimEnd()) ? match(REGEX) : undefined
    if (comment !== undefined) {
      code += spaces(comment)
    } else if (quoted !== undefined) {
      literals.push({ at, text: quoted.slice(1, -1) })
      code += character + spaces(quoted.slice(1, -1)) + character
    } else if (regex !== undefined) {
      code += `/${spaces(regex.slice(1, -1))}/`
    } else if (character === "`") {
      open.push({ at, text: "", depth })
      code += character
      readTemplate()
    } else if (character === "}" && open.at(-1)?.depth === depth) {
      code += character
      readTemplate()
    } else {
      if (character === "{") depth += 1
      if (character === "}") depth -= 1
      code += character
    }
  }
  return { code, literals }
}

/** The line, counted from 1, of a position. */
export const lineAt = (source: Source, at: number): number => source.code.slice(0, at).split("\n").length

/** One import, by whatever means: static, for its effects, re-exported, dynamic, as a type, required or resolved. */
export interface Import {
  readonly specifier: string
  readonly line: number
}

const IMPORT_BEFORE = /(?<![\w$.])(?:from|import|(?:import|require|import\.meta\.resolve)\s*\()$/

/** Every import of a source whose specifier is written out. */
export const importsOf = (source: Source): ReadonlyArray<Import> =>
  source.literals
    .filter(({ at }) => IMPORT_BEFORE.test(source.code.slice(0, at).trimEnd().slice(-80)))
    .map(({ at, text }) => ({ specifier: text, line: lineAt(source, at) }))

/** The lines of imports whose specifier is computed, which no check can follow. */
export const computedImportsOf = (source: Source): ReadonlyArray<number> =>
  [...source.code.matchAll(/(?<![\w$.])import\s*\(\s*(?:[^"'`\s]|`[^`]*\$\{)/g)].map(({ index }) =>
    lineAt(source, index)
  )
