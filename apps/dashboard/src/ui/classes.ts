/** Class names put together; what is false is left out. */
export const classes = (...names: ReadonlyArray<string | false | undefined>): string => names.filter(Boolean).join(" ")
