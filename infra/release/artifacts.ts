/** The files that are uploaded with a release beside the packages: the bill of materials, and checksums of everything. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { npm } from "./npm.ts"
import { publicPackages } from "./publicPackages.ts"
import { shippedOf } from "./shipped.mjs"

interface Component {
  readonly "bom-ref": string
  readonly purl: string
  readonly version: string
}

/** Components of ours at the version that is released, wherever the document refers to them. */
const atVersion = (sbom: string, current: string, next: string): object => {
  const reference = new RegExp(`((?:@|%40)agent-platform/[\\w-]+@)${current.replaceAll(".", "\\.")}(?=")`, "g")
  const document = JSON.parse(sbom.replaceAll(reference, `$1${next}`))
  const components = (document.components as ReadonlyArray<Component>).map((one) =>
    one.purl.startsWith("pkg:npm/%40agent-platform/") ? { ...one, version: next } : one
  )
  return { ...document, components }
}

/**
 * A CycloneDX document of the published packages and all that they bring, as the lock file pins it. npm names the version of the
 * checkout, `current`, where the release has `next`; what production does not install is left out.
 */
export const billOfMaterials = async (root: string, current: string, next: string): Promise<string> => {
  const made = await npm(root, [
    "sbom",
    "--package-lock-only",
    "--sbom-format=cyclonedx",
    "--sbom-type=library",
    ...publicPackages(root).map(({ folder }) => `--workspace=${folder}`)
  ])
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"))
  const shipped = shippedOf(JSON.parse(made), lock)
  return `${JSON.stringify(atVersion(JSON.stringify(shipped), current, next), null, 2)}\n`
}

/** Checksums of every file in a folder, in the form that `sha256sum --check` reads. */
export const checksums = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, name)))
          .digest("hex")}  ${name}\n`
    )
    .join("")
