/** Reads the little that is known before somebody has signed in. */
import { createClient } from "@agent-platform/client"
import { queryOptions } from "@tanstack/react-query"

/** The identity providers that the operator has set up. */
export const loginProvidersQuery = queryOptions({
  queryKey: ["login", "providers"],
  queryFn: async ({ signal }) =>
    (await createClient({ baseUrl: location.origin }).login.listLoginProviders({ signal })).items
})
