/** Why a delivery is not accepted. */
export type RefusalCode =
  | "signature_missing"
  | "signature_malformed"
  | "too_old"
  | "too_new"
  | "signature_mismatch"
  | "body_malformed"

/** The delivery is not accepted. Answer 400: a genuine sender tries again. */
export class WebhookRefused extends Error {
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string) {
    super(message)
    this.name = "WebhookRefused"
    this.code = code
  }
}
