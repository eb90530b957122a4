/** Processes keep no files, so that an erasure has none to look for: see docs/erasure.md. A pure function over text, as the boundaries are. */

import type { TextFile } from "./boundaries.ts"
import { lineAt, readSource } from "./source.ts"

/** Sources of what runs beside tenants' data. The dashboard's are built, and run in browsers. */
const OF_PROCESSES = /^(?:packages\/[^/]+|apps\/(?:api|worker|admin))\/src\//

/** Writes a file that its user asks for, and in which there is no tenant's text. */
const ASKED_FOR = "apps/admin/src/commands/supportBundle.ts"

const WRITING =
  /\b(?:writeFile|writeFileString|appendFile|createWriteStream|open|mkdir|mkdtemp|makeDirectory|makeTempFile|makeTempDirectory|copy|copyFile|rename|symlink|link|sink)(?:Sync|Scoped)?\b/

const FILES = /^node:fs(?:\/promises)?$/

const OTHER_WAYS = /^node:(?:sqlite|child_process)$/

/** Imports by which a source of a process could write a file, and files in which Effect's file system is asked to. */
export const ownFileViolations = ({ path, text }: TextFile): ReadonlyArray<string> => {
  if (!OF_PROCESSES.test(path) || path === ASKED_FOR) return []
  const source = readSource(text)
  const imported = [...text.matchAll(/import\s+(?:type\s+)?([^"]+?)\s+from\s+"([^"]+)"/g)]
  const violations = imported.filter(([, names = "", from = ""]) => {
    if (FILES.test(from)) return names.startsWith("*") || WRITING.test(names)
    if (/\bFileSystem\b/.test(names)) return new RegExp(`\\.${WRITING.source}`).test(text)
    return OTHER_WAYS.test(from)
  })
  const later = [...text.matchAll(/\bimport\("node:(?:fs|sqlite|child_process)/g)]
  return [...violations, ...later].map(({ index }) => `${path}:${lineAt(source, index)} can write a file`)
}
