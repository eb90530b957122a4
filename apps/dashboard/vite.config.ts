import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite"

/** Where `npm run dashboard` finds the API of a running `npm start`. */
const API = process.env.BASE_URL ?? "http://127.0.0.1:8080"

/** The fonts that the first page is written in: found by the first text alone, they would come after it, and move it. */
const FIRST_FONTS = /(?:inter|geist-mono)-latin-wght-normal-[\w-]+\.woff2$/

/** Has the browser load these fonts beside the scripts. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => FIRST_FONTS.test(name))
        .map(
          (name): HtmlTagDescriptor => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: true, href: `/${name}` },
            injectTo: "head"
          })
        )
  }
}

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss(), preloadFonts],
  build: {
    target: "es2024",
    // The page's policy admits no data: URLs but for images.
    assetsInlineLimit: 0,
    // A polyfill would be an inline script's worth of bytes for browsers that the target leaves out.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // A script of its own, which browsers keep from one release to the next.
            { name: "react", test: /node_modules\/(?:react|react-dom|scheduler)\// },
            // All else that the first page needs, in one: each further file costs it some milliseconds.
            { name: "first", tags: ["$initial"] }
          ]
        }
      }
    }
  },
  server: { proxy: { "^/(api|docs|problems|start-link|openapi.json)": { target: API } } }
})
