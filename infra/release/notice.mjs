/** NOTICE: the licenses of everything that is shipped, made from a CycloneDX document and the installed packages. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { nameOf } from "./shipped.mjs"

/** Licenses under which a dependency may be shipped with this product. Another one needs a decision first. */
const ADMITTED = new Set([
  "Apache-2.0",
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "CC0-1.0",
  "BlueOak-1.0.0",
  // Of the dashboard's fonts, which are shipped unchanged.
  "OFL-1.1",
  "Unlicense"
])

const LICENSE_FILE = /^(licen[cs]e|copying|notice)(-[\w.]+)?(\.(md|txt|rst))?$/i

const isOurs = (component) => nameOf(component).startsWith("@agent-platform/")

/** The SPDX expression that a component declares. */
const licenseOf = ({ licenses = [] }) =>
  licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name).join(" AND ") || "none"

/** Whether an SPDX expression is admitted: of licenses with OR between them one has to be, of those with AND every one. */
const isAdmitted = (expression) =>
  expression
    .replaceAll(/[()]/g, "")
    .split(" AND ")
    .every((part) => part.split(" OR ").some((id) => ADMITTED.has(id.trim())))

const textsIn = (folder) => {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return names
    .map(({ name }) => name)
    .filter((name) => LICENSE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())
}

/**
 * The text of NOTICE for a CycloneDX document. `folderOf` says where a component is installed. Throws where one has a license
 * that is not admitted, and names it.
 */
export const noticeOf = (sbom, folderOf) => {
  const shipped = sbom.components.filter((component) => !isOurs(component))
  const refused = shipped.filter((component) => !isAdmitted(licenseOf(component)))
  if (refused.length > 0) {
    const names = refused.map((component) => `${nameOf(component)} (${licenseOf(component)})`)
    throw new Error(`These dependencies have a license that is not admitted: ${names.join(", ")}`)
  }
  const sections = shipped.map((component) => {
    const heading = `${nameOf(component)} ${component.version}\nLicense: ${licenseOf(component)}`
    const texts = textsIn(folderOf(component))
    return [heading, ...(texts.length > 0 ? texts : ["The package ships no text of its license."])].join("\n\n")
  })
  const rule = "-".repeat(80)
  return `Agent Platform\nLicense: Apache-2.0, see LICENSE\n\nIt is shipped with the packages below.\n\n${[...sections, ""].join(`\n\n${rule}\n\n`).trimEnd()}\n`
}
