import { fileURLToPath } from "node:url"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

/** Where `npm run dashboard` finds the API of a running `npm start`. */
const API = process.env.BASE_URL ?? "http://127.0.0.1:8080"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2024",
    // The page's policy admits no data: URLs but for images.
    assetsInlineLimit: 0,
    // A polyfill would be an inline script's worth of bytes for browsers that the target leaves out.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // A script of its own, which browsers keep from one release to the next.
      output: { codeSplitting: { groups: [{ name: "react", test: /node_modules\/(?:react|react-dom|scheduler)\// }] } }
    }
  },
  server: { proxy: { "^/(api|docs|problems|openapi.json)": { target: API } } }
})
