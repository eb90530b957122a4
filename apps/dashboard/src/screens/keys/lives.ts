/** For how long a new key may live: never longer than the key that makes it. */
import type { Session } from "../../session/Session.ts"
import type { Choice } from "../../ui/Select.tsx"
import { ago } from "../../ui/Time.tsx"

/** As long as may be, or so many days. */
export type Life = "longest" | "30" | "90" | "365"

const DAY_SECONDS = 86_400

const LIVES: ReadonlyArray<Choice<Life>> = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" }
]

/** The lives to choose among for who is signed in like this. Keys that a person makes outlive the login, those that a key makes end with it. */
export const livesFor = ({ me: { auth } }: Session, now: number): ReadonlyArray<Choice<Life>> => {
  if (auth.method === "oauth_session" || auth.expires_at === null)
    return [{ value: "longest", label: "Never" }, ...LIVES]
  const left = (Date.parse(auth.expires_at) - now) / 1_000
  return [
    { value: "longest", label: `With your own key, ${ago(auth.expires_at, now)}` },
    ...LIVES.filter(({ value }) => Number(value) * DAY_SECONDS < left)
  ]
}

/** How it is asked for; left out, the key ends with the one that makes it, if that does. */
export const lifeSeconds = (life: Life): { readonly expires_in_seconds?: number } =>
  life === "longest" ? {} : { expires_in_seconds: Number(life) * DAY_SECONDS }
