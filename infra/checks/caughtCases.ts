/** The cases by which a suite over an implementation that is broken on purpose must fail, found in the text of its file. */

/** Titles in `text`: the texts of its lists of nothing but texts. A single word is an event or a status, not a title. */
export const titlesNamedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\[\s*(?:"(?:\\.|[^"\\\n])*"\s*,?\s*)+\]/g)]
    .flatMap(([list]) => [...list.matchAll(/"((?:\\.|[^"\\\n])*)"/g)])
    .map(([, title = ""]) => title)
    .filter((title) => title.split(" ").length > 3)

/** The beginning of a case whose title is a template, such as `counts ${kind} apart`. */
const TEMPLATE_CASE = /\b(?:it|test)(?:\.\w+)*\(\s*`([^`\n]*\$\{[^`\n]*)`/g

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const patternsIn = (suites: string): ReadonlyArray<RegExp> =>
  [...suites.matchAll(TEMPLATE_CASE)]
    .map(([, title = ""]) => title.split(/\$\{[^}]*\}/))
    // A title that is hardly more than its values would be that of every case.
    .filter((words) => (words.join("").match(/\w{2,}/g) ?? []).length > 2)
    .map((words) => new RegExp(`^${words.map(escaped).join(".+")}$`))

/** Tells whether a case of `suites` has a title, by its text or by a template. */
export const makeHasCase = (suites: string): ((title: string) => boolean) => {
  const patterns = patternsIn(suites)
  return (title) => suites.includes(`"${title}"`) || patterns.some((pattern) => pattern.test(title))
}
