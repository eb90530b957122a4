/** Whether this machine can call others as workers do. */
import { EgressGuard, type EgressGuardOptions } from "@agent-platform/egress"
import { Egress, type EgressPurpose, type RequestFailure } from "@agent-platform/kernel"
import { admittedBy, egressAllow, egressAllowLoopback } from "@agent-platform/process"
import { Effect } from "effect"
import { type Finding, found, ok } from "./Finding.ts"

const DEADLINE_MILLIS = 10_000

const ANOTHER =
  "If calls to this target are not to get out, name another with --egress-target URL, or none with --egress-target none."

const ADVICE: Readonly<Record<RequestFailure, string>> = {
  address_refused:
    "Only public addresses over https are called, and what EGRESS_ALLOW_… admits for the purpose: see what the name servers answer.",
  dns_failed: "See that this machine's name servers (/etc/resolv.conf) can be reached and resolve public names.",
  connect_failed: "Let workers open connections to port 443 of any public address; proxies are not used.",
  tls_failed: "Something on the way answers with a certificate that is not trusted: an intercepting proxy, perhaps.",
  connection_lost: "Something on the way cuts connections: look at firewalls between here and the target.",
  protocol_error: "What answers there does not speak HTTP: see that nothing on the way answers in its place.",
  timeout: "Packets get lost on the way: look at firewalls that drop them instead of refusing.",
  too_large: "The target answers more than is read."
}

/** Findings about what the settings admit beside public addresses over https. */
export const admittedFindings = (options: EgressGuardOptions): ReadonlyArray<Finding> => {
  const findings = admittedBy(options).map(({ says, setting }) => {
    const message = `${setting.variable} ${says}`
    if (setting === egressAllowLoopback) {
      return found("warning", "configuration.egress", message, "Turn it off in production, in every process.")
    }
    const check = `configuration.${setting.variable.toLowerCase()}`
    return setting === egressAllow.webhooks
      ? found("notice", check, message, "The specification wants public receivers: admit none but your own.")
      : ok(check, message)
  })
  return findings.length > 0
    ? findings
    : [ok("configuration.egress", "Requests go to public addresses over https only")]
}

/** Sends one request to the target, through the same guard as requests of this purpose. Any response is a good one. */
export const egressFinding = (target: string, purpose: EgressPurpose, options: EgressGuardOptions) =>
  Egress.use((egress) =>
    egress.send({
      purpose,
      method: "GET",
      url: target,
      headers: {},
      body: null,
      deadlineMillis: DEADLINE_MILLIS,
      readBytesMax: 1_024
    })
  ).pipe(
    Effect.match({
      onSuccess: ({ durationMillis, remoteAddress, status }) =>
        ok("egress.https", `${target} answered ${status} from ${remoteAddress} after ${Math.round(durationMillis)} ms`),
      onFailure: ({ detail, reason }) =>
        found(
          "problem",
          "egress.https",
          `${target} could not be called (${reason}): ${detail}`,
          `${ADVICE[reason]} ${ANOTHER}`
        )
    }),
    Effect.provide(EgressGuard.layer(options))
  )
