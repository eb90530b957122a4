/** The path with a query of those values that are given; the path alone where none is. */
export const withQuery = (path: string, query: Readonly<Record<string, unknown>> = {}): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as Array<[string, string]>)}`
}
