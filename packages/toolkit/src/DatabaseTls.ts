/** The encryption that the URL of a database asks for, with libpq's meaning of `sslmode`. */
import { Result } from "effect"

const MODES = ["disable", "require", "verify-ca", "verify-full"] as const

/** The parameters of a URL that say how a connection is encrypted. */
export const TLS_PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey"] as const

export interface DatabaseTls {
  readonly mode: (typeof MODES)[number]
  /** Paths of files in PEM. Without `rootCert`, servers are checked by the authorities that the runtime knows. */
  readonly rootCert: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
}

/** The value of `sslrootcert` that means the authorities that the runtime knows. */
const SYSTEM = "system"

/** The encryption in these parameters. Fails with what is wrong with them. */
export const readTls = (parameters: ReadonlyMap<string, string>): Result.Result<DatabaseTls, string> => {
  const given = (name: (typeof TLS_PARAMETERS)[number]) => parameters.get(name) || undefined
  const [rootCert, cert, key] = [given("sslrootcert"), given("sslcert"), given("sslkey")]
  const isSystem = rootCert === SYSTEM
  const asked = given("sslmode") ?? (isSystem ? "verify-full" : "disable")
  const mode = MODES.find((one) => one === asked)
  if (mode === undefined) {
    return Result.fail(
      `has an sslmode that is none of ${MODES.join(", ")}; without one the connection is not encrypted`
    )
  }
  if (mode === "disable" && (rootCert ?? cert ?? key) !== undefined) {
    return Result.fail("has sslrootcert, sslcert or sslkey, which need an sslmode of require, verify-ca or verify-full")
  }
  if (isSystem && mode !== "verify-full") return Result.fail("has sslrootcert=system, which needs sslmode=verify-full")
  if (mode === "verify-ca" && rootCert === undefined) {
    return Result.fail("has sslmode=verify-ca without sslrootcert, the file of the authority")
  }
  if ((cert === undefined) !== (key === undefined)) return Result.fail("must have sslcert and sslkey both, or neither")
  return Result.succeed({ mode, rootCert: isSystem ? undefined : rootCert, cert, key })
}

/** Options of the TLS of Node and Deno. */
export interface TlsOptions {
  readonly rejectUnauthorized: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  /** Given where the server's name is not checked. */
  readonly checkServerIdentity?: () => undefined
}

/**
 * How to encrypt connections to a host; false where they are not encrypted, as over a Unix socket. With `require`, the server's
 * certificate is checked only where `sslrootcert` is given, as libpq does it. `readText` reads a file.
 */
export const tlsOptionsOf = (
  { cert, key, mode, rootCert }: DatabaseTls,
  host: string,
  readText: (path: string) => string
): TlsOptions | false => {
  if (mode === "disable" || host.startsWith("/")) return false
  return {
    rejectUnauthorized: mode !== "require" || rootCert !== undefined,
    ...(rootCert === undefined ? {} : { ca: readText(rootCert) }),
    ...(cert === undefined || key === undefined ? {} : { cert: readText(cert), key: readText(key) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined })
  }
}
