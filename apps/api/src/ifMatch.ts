/** The version in If-Match that a change requires, quoted or bare; undefined for any version. */
export const versionOf = (headers: { readonly "if-match"?: string }): number | undefined => {
  const version = headers["if-match"]?.replaceAll('"', "")
  return version === undefined ? undefined : Number(version)
}
