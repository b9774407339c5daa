/** Formats the value of a setting for people. */
import type { Setting } from '../setting.ts';

/** Replaces a secret, as in blocks. */
const HIDDEN = '********';
/** An error shows at most this many characters of a value. */
const MAX_SHOWN = 200;

/** The value without its secrets: for an address, only the password is hidden. */
export function shownValue({ secret = false, isAddress = false }: Setting, value: string): string {
  if (secret && !isAddress) return value === '' ? '' : HIDDEN;
  return withoutPasswords(value);
}

/** True if the value contains a secret. */
export function holdsSecret(setting: Setting, value: string): boolean {
  return shownValue(setting, value) !== value;
}

/** A part of the value for an error, without control characters. */
export function quotable(value: string): string {
  const text = value.replaceAll(/\p{Cc}/gu, '');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * Hides everything from the first colon after `//` to the last `@`, because an unencoded password may contain any
 * character. The path of an SQLite file has no password.
 */
function withoutPasswords(value: string): string {
  if (value.startsWith('sqlite:')) return value;
  return value
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@]*):.*@/is, `$1:${HIDDEN}@`)
    .replaceAll(/([?&](?:ssl)?password=)[^&]+/gi, `$1${HIDDEN}`);
}
