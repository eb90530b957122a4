/** The icons, drawn on 16 by 16 with one stroke. An icon says nothing by itself: a word or a label stands with it. */
const PATHS = {
  agent: "M3 5.5h10v7H3zM8 5.5v-3M6 8.5v1M10 8.5v1M1.5 8.5v2M14.5 8.5v2",
  runs: "M3 4h10M3 8h7M3 12h4M12 9.5l2 1.5-2 1.5z",
  activity: "M1.5 8.5h3l2-5 3 9 2-4h3",
  bell: "M4 11.5V7a4 4 0 0 1 8 0v4.5h1.5h-11zM6.8 13.5h2.4",
  chart: "M2.5 2.5v11h11M5.5 11V8M8.5 11V5M11.5 11V7",
  chat: "M2.5 3.5h11v7h-6l-3 3v-3h-2z",
  check: "m3.5 8.5 3 3 6-7",
  chevron: "m5 6.5 3 3 3-3",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 2.5V8l2.5 1.5",
  close: "m4 4 8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  people:
    "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5a4.5 4.5 0 0 1 9 0M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.3a4.5 4.5 0 0 1 2.5 4.2",
  flag: "M4 14V2.5h8.5l-2 3 2 3H4",
  plus: "M8 3v10M3 8h10",
  hook: "M8 2.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm0 4v4a2.5 2.5 0 0 1-5 0V9m0 0-1 1.5M3 9l1.2 1.4M13 12.5h-2",
  key: "M9.5 6.5a3 3 0 1 1-2.1-2.86A3 3 0 0 1 9.5 6.5Zm-.6 1.6 4.6 4.4m-2-2 1.2-1.2",
  moon: "M13.5 9.6A6 6 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  out: "M6.5 2.5h-4v11h4M6 8h7.5m-3-3 3 3-3 3",
  record: "M4 1.5h5.5l3 3v10h-8.5zM6.5 7.5h4M6.5 10.5h4",
  reply: "M13.5 12.5c0-4-2-6-6-6h-5m3-3.5-3.5 3.5L5.5 10",
  screen: "M2 3h12v8H2zM8 11v2.5M5.5 13.5h5",
  search: "m10.5 10.5 3.5 3.5M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0Z",
  stop: "M4 4h8v8H4z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1"
} as const

export type IconName = keyof typeof PATHS

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    viewBox="0 0 16 16"
    width={16}
    height={16}
    fill="none"
    stroke="currentColor"
    strokeWidth={1.3}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className="shrink-0"
  >
    <path d={PATHS[name]} />
  </svg>
)
