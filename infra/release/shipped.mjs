/** The part of a bill of materials that is shipped. */

/** Marks in a lock file of packages that `npm ci --omit=dev --omit=optional --omit=peer` leaves out. */
const OMITTED = ["dev", "devOptional", "optional", "peer"]

/** The package's name with its scope, out of its package URL. */
export const nameOf = ({ purl }) => decodeURIComponent(purl.slice("pkg:npm/".length).replace(/@[^@]*$/, ""))

/** Where the package of a component may be installed, by the entries of a lock file that are shipped. */
export const pathsIn = (lock) => {
  const paths = new Map()
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "" || entry.link === true || OMITTED.some((mark) => entry[mark] === true)) continue
    const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    paths.set(`${name}@${entry.version}`, path)
  }
  return ({ purl, version }) => paths.get(`${nameOf({ purl })}@${version}`)
}

/**
 * A CycloneDX document of a lock file, less the packages that are not installed for production. `npm sbom --omit` is not used:
 * with workspaces it leaves out packages that are installed (seen with npm 11.19, which then named neither effect nor pino).
 */
export const shippedOf = (sbom, lock) => {
  const pathOf = pathsIn(lock)
  const components = sbom.components.filter((component) => pathOf(component) !== undefined)
  const refs = new Set([sbom.metadata.component["bom-ref"], ...components.map((component) => component["bom-ref"])])
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return { ...sbom, components, dependencies }
}
