/** The kernel's secret box by AES-256-GCM, and the keys for it out of SECRETS_KEY. */
export { type EncryptionKey, type EncryptionKeys, parseSecretsKey, SecretsKeyInvalid } from "./EncryptionKeys.ts"
export * as SecretBoxAes from "./SecretBoxAes.ts"
