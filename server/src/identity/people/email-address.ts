/**
 * The form of an e-mail address by which accounts are found: lower case. A letter beyond ASCII whose lower case is an
 * ASCII letter stays as it is, because mail to it reaches another mailbox: `K` (U+212A, the Kelvin sign) is not `k`.
 */
export function normalEmail(text: string): string {
  return text.replaceAll(/\P{Lowercase}/gu, (character) => {
    const lower = character.toLowerCase();
    return character > '\u007f' && /[a-z]/.test(lower) ? character : lower;
  });
}

/**
 * Accepts one `@` with text on both sides and no invisible characters. Longer addresses cannot receive mail (RFC 5321).
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);
}
