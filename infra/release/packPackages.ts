import { join } from "node:path"
import { npm } from "./npm.ts"
import { type StagedPackage, stagePackages } from "./stagePackages.ts"

/** A package as it is published, and the archive that is uploaded. */
export interface PackedPackage extends StagedPackage {
  readonly tarball: string
  /** The paths inside. */
  readonly files: ReadonlyArray<string>
  /** Its size in bytes, compressed. */
  readonly bytes: number
}

interface NpmPacked {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const FOREIGN = /(?:^|\/)(?:test|node_modules)\/|\.test\.[jt]s$/

/** Builds and packs every public package below `out`. Throws where one would hold tests. */
export const packPackages = async (
  root: string,
  out: string,
  version: string
): Promise<ReadonlyArray<PackedPackage>> => {
  const staged = stagePackages(root, out, version)
  const printed = await npm(out, ["pack", "--json", "--ignore-scripts", ...staged.map(({ folder }) => folder)])
  const listed: ReadonlyArray<NpmPacked> = Object.values(JSON.parse(printed))
  return staged.map((one) => {
    const packed = listed.find(({ name }) => name === one.name)
    if (packed === undefined) throw new Error(`npm did not pack ${one.name}`)
    const files = packed.files.map(({ path }) => path)
    const foreign = files.filter((path) => FOREIGN.test(path))
    if (foreign.length > 0) throw new Error(`${one.name} would hold ${foreign.join(", ")}`)
    return { ...one, tarball: join(out, packed.filename), files, bytes: packed.size }
  })
}
