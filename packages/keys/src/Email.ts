/** E-mail addresses, by which people are invited and recognised. */

/** The longest address, in characters. RFC 5321, 4.5.3.1.3. */
export const EMAIL_LENGTH_MAX = 254

const LOCAL_LENGTH_MAX = 64

const FORM = /^[^\s\p{C}@"(),:;<>[\]\\]+@(?!-)[^\s\p{C}@"(),:;<>[\]\\.]+(\.[^\s\p{C}@"(),:;<>[\]\\.]+)+$/u

/**
 * An address in the one form in which addresses are kept and compared: trimmed, A to Z in lower case. Other letters stay
 * as they are, since lower-casing some of them gives another person's address: it turns the Kelvin sign into a k.
 * Undefined for a text that does not look like an address. Only its owner's login shows that it exists.
 */
export const parseEmail = (text: string): string | undefined => {
  const email = text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const local = email.slice(0, email.indexOf("@"))
  const isPlausible =
    email.length <= EMAIL_LENGTH_MAX &&
    local.length <= LOCAL_LENGTH_MAX &&
    FORM.test(email) &&
    !/^\.|\.\.|\.$/.test(local)
  return isPlausible ? email : undefined
}
