/** How the keys of the search are called on the keyboard before the page. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"
