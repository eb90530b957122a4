/** For how many seconds an old secret works beside its successor. */
export const GRACES = [
  { value: "0", label: "Not any more" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" }
] as const

export type Grace = (typeof GRACES)[number]["value"]
