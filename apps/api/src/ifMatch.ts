/** The version that a change is meant for, quoted or bare; undefined for any. */
export const versionOf = (headers: { readonly "if-match"?: string }): number | undefined => {
  const version = headers["if-match"]?.replaceAll('"', "")
  return version === undefined ? undefined : Number(version)
}
