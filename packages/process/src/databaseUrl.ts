/** The URL of the database as a setting: it is parsed whole, and the files that it names are read, before anything is started. */
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { type DatabaseTls, parseDatabaseUrl } from "@agent-platform/toolkit"
import { Predicate, Redacted, Result } from "effect"
import { Refusal } from "./Setting.ts"

/** The result of `act`, or a refusal where it throws. */
const orRefusal = <A>(act: () => A, detailOf: (error: unknown) => string): A | Refusal => {
  try {
    return act()
  } catch (error) {
    return new Refusal(detailOf(error))
  }
}

const codeOf = (error: unknown): string => (Predicate.hasProperty(error, "code") ? String(error.code) : "unknown error")

const fileAs = <A>(name: string, path: string, form: string, parse: (text: string) => A): A | Refusal => {
  const text = orRefusal(
    () => readFileSync(path, "utf8"),
    (error) => `has ${name}, whose file cannot be read (${codeOf(error)})`
  )
  return text instanceof Refusal
    ? text
    : orRefusal(
        () => parse(text),
        () => `has ${name}, whose file is not ${form} in PEM`
      )
}

const certificateIn = (name: string, path: string) =>
  fileAs(name, path, "a certificate", (text) => new X509Certificate(text))

/** Why the files that encryption needs are refused. */
const refusalOf = ({ cert, key, rootCert }: DatabaseTls): Refusal | undefined => {
  const authority = rootCert === undefined ? undefined : certificateIn("sslrootcert", rootCert)
  if (authority instanceof Refusal) return authority
  if (cert === undefined || key === undefined) return undefined
  const certificate = certificateIn("sslcert", cert)
  if (certificate instanceof Refusal) return certificate
  const secret = fileAs("sslkey", key, "a private key without passphrase", createPrivateKey)
  if (secret instanceof Refusal) return secret
  return certificate.checkPrivateKey(secret) ? undefined : new Refusal("has an sslkey that is not that of its sslcert")
}

/** The URL of a database, kept as it was written. */
export const readDatabaseUrl = (text: string): Redacted.Redacted | Refusal =>
  Result.match(parseDatabaseUrl(text), {
    onSuccess: ({ tls }) => refusalOf(tls) ?? Redacted.make(text.trim()),
    onFailure: (detail) => new Refusal(detail)
  })
