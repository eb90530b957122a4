/** docs/changelog.md, which is written by hand: each change that somebody can notice gets its line under "Unreleased". */

const UNRELEASED = "## Unreleased"

/**
 * The page once a version is released: what was unreleased stands under the version and its day, such as `2026-11-23`. Throws where
 * nothing is unreleased, or the version has been released.
 */
export const changelogAt = (page: string, version: string, day: string): string => {
  const [before, after] = page.split(`${UNRELEASED}\n`)
  if (before === undefined || after === undefined) throw new Error(`docs/changelog.md has no "${UNRELEASED}"`)
  if (after.split("\n").some((line) => line.startsWith(`## ${version},`)))
    throw new Error(`${version} has been released`)
  const [changes = ""] = after.split(/^## /m)
  if (changes.trim() === "") throw new Error(`Nothing stands under "${UNRELEASED}" in docs/changelog.md`)
  return `${before}${UNRELEASED}\n\n## ${version}, ${day}\n${after}`
}
