import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { makeQueryClient } from "./api/queryClient.ts"
import { applyScheme } from "./frame/scheme.ts"
import { makeRouter } from "./router.tsx"
import { foundSessionQuery } from "./session/SessionContext.tsx"
import { takeStartLink } from "./session/startLink.ts"
import "@fontsource-variable/inter/wght.css"
import "@fontsource-variable/geist-mono/wght.css"
import "./style.css"

applyScheme()
takeStartLink()
const queries = makeQueryClient()
// Asked before anything is drawn.
void queries.prefetchQuery(foundSessionQuery)
const root = document.getElementById("root")
if (root === null) throw new Error("The page has no root")
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={makeRouter(queries)} />
    </QueryClientProvider>
  </StrictMode>
)
