/** The little of oidc-provider that the tests use; the package has no declarations of its own. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  export interface Context {
    path: string
    status: number
    body: unknown
  }

  export class Grant {
    constructor(of: { readonly accountId: string; readonly clientId: string })
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export interface Interaction {
    readonly prompt: { readonly name: string }
    readonly params: { readonly client_id: string; readonly scope: string }
    readonly session?: { readonly accountId: string }
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    readonly Grant: typeof Grant
    readonly AccessToken: {
      readonly find: (token: string) => Promise<{ readonly accountId: string } | undefined>
    }
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options: { readonly mergeWithLastSubmission: boolean }
    ): Promise<void>
  }

  export { Provider as default }
}
