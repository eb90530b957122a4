/** Reads the denials of `biome.json`, to compare them with the table of packages. */

/** The part of `biome.json` that states the boundaries. */
export interface BiomeConfiguration {
  readonly overrides: ReadonlyArray<{
    readonly includes: ReadonlyArray<string>
    readonly linter: {
      readonly rules: {
        readonly style?: {
          readonly noRestrictedImports?: {
            readonly options: { readonly patterns: ReadonlyArray<{ readonly group: ReadonlyArray<string> }> }
          }
          readonly noRestrictedGlobals?: {
            readonly options: { readonly deniedGlobals: Readonly<Record<string, string>> }
          }
        }
      }
    }
  }>
}

/** `packages/{a,b}/src/**` as the two globs that it stands for; braces do not nest. */
export const expandBraces = (glob: string): ReadonlyArray<string> => {
  const [, before = "", choices, after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(glob) ?? []
  if (choices === undefined) return [glob]
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after))
}

const stylesFor = (configuration: BiomeConfiguration, glob: string) =>
  configuration.overrides
    .filter(({ includes }) => includes.flatMap(expandBraces).includes(glob))
    .map(({ linter }) => linter.rules.style)

/** The groups of `noRestrictedImports` in the overrides for exactly this glob. */
export const deniedImports = (configuration: BiomeConfiguration, glob: string): ReadonlyArray<ReadonlyArray<string>> =>
  stylesFor(configuration, glob).flatMap((style) =>
    (style?.noRestrictedImports?.options.patterns ?? []).map(({ group }) => group)
  )

/** The names that `noRestrictedGlobals` denies in the overrides for exactly this glob, sorted. */
export const deniedNames = (configuration: BiomeConfiguration, glob: string): ReadonlyArray<string> =>
  stylesFor(configuration, glob)
    .flatMap((style) => Object.keys(style?.noRestrictedGlobals?.options.deniedGlobals ?? {}))
    .sort()
