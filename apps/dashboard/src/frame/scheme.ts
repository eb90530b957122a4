/** Light or dark: as the system says, unless somebody has chosen. */
const KEY = "agent-platform.scheme"

const CHOICES = ["system", "light", "dark"] as const

export type Scheme = (typeof CHOICES)[number]

/** The choice of this browser. */
export const currentScheme = (): Scheme => CHOICES.find((one) => one === localStorage.getItem(KEY)) ?? "system"

const apply = (scheme: Scheme): void => {
  if (scheme === "system") delete document.documentElement.dataset["scheme"]
  else document.documentElement.dataset["scheme"] = scheme
}

/** Chooses, for this browser. */
export const chooseScheme = (scheme: Scheme): void => {
  localStorage.setItem(KEY, scheme)
  apply(scheme)
}

/** Draws the page as was chosen before. */
export const applyScheme = (): void => apply(currentScheme())
