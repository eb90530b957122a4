import { useMutation, useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { loginProvidersQuery } from "../../api/login.ts"
import { signInWithKey } from "../../session/Session.ts"
import { useSessionActions } from "../../session/SessionContext.tsx"
import { isStartLinkRefused } from "../../session/startLink.ts"
import { Button, buttonClasses } from "../../ui/Button.tsx"
import { TextField } from "../../ui/Field.tsx"
import { ProblemNotice } from "../../ui/ProblemNotice.tsx"
import { useTitle } from "../../ui/useTitle.ts"
import { loginFailure, providerLink, providerName } from "./providers.ts"

const KeyForm = () => {
  const [key, setKey] = useState("")
  const { renew } = useSessionActions()
  const signIn = useMutation({
    mutationFn: async () => {
      await signInWithKey(key.trim())
      await renew()
    }
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <form onSubmit={send} className="grid gap-3">
      <TextField
        label="API key"
        type="password"
        name="api-key"
        autoComplete="off"
        spellCheck={false}
        required
        placeholder="apk_ws_… or apk_org_…"
        hint="It stays in this tab and is forgotten when the tab is closed."
        value={key}
        onChange={setKey}
      />
      <ProblemNotice error={signIn.error} />
      <Button type="submit" kind="primary" disabled={signIn.isPending || key.trim() === ""}>
        Sign in
      </Button>
    </form>
  )
}

const LINK_IS_OVER =
  "This link was opened before, or is older than ten minutes. npm start prints another one each time it starts."

/** Shown at every address to people who are not signed in: identity providers, or a key that is pasted. */
export const Login = () => {
  useTitle("Sign in")
  const { data: providers = [] } = useQuery(loginProvidersQuery)
  const failure = isStartLinkRefused() ? LINK_IS_OVER : loginFailure(location.search)
  return (
    <main className="grid min-h-full place-items-center p-4">
      <div className="grid w-full max-w-[360px] gap-4">
        <h1 className="text-xl font-semibold">Agent Platform</h1>
        {failure && (
          <p role="alert" className="rounded-md border border-line bg-bad-tint p-3">
            {failure}
          </p>
        )}
        {providers.map(({ login_url, provider }) => (
          <a key={provider} href={providerLink(login_url, location.href)} className={buttonClasses()}>
            Sign in with {providerName(provider)}
          </a>
        ))}
        {providers.length > 0 && <p className="text-center text-sm text-muted">or with a key</p>}
        <KeyForm />
        {providers.length === 0 && (
          <p className="text-sm text-muted">
            Beside <code className="font-mono">npm start</code> two keys stand in the file{" "}
            <code className="font-mono">credentials.json</code>, whose path it prints:{" "}
            <code className="font-mono">org_key</code> for everything, and{" "}
            <code className="font-mono">workspace_key</code> for one workspace.
          </p>
        )}
      </div>
    </main>
  )
}
