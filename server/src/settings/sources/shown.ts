/** How the value of a setting is shown to people. */
import type { Setting } from '../setting.ts';

/** Stands in for a secret, as for those of blocks. */
const HIDDEN = '********';
/** An error shows a value up to this length. */
const MAX_SHOWN = 200;

/** The value without its secrets: of an address only the password is hidden. */
export function shownValue({ secret = false, isAddress = false }: Setting, value: string): string {
  if (secret && !isAddress) return value === '' ? '' : HIDDEN;
  return withoutPasswords(value);
}

/** Whether showing the value would show a secret. */
export function holdsSecret(setting: Setting, value: string): boolean {
  return shownValue(setting, value) !== value;
}

/** A part of the value for an error, without control characters. */
export function quotable(value: string): string {
  const text = value.replaceAll(/\p{Cc}/gu, '');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/**
 * A password that is not encoded may hold any character, so everything from the first colon behind `//` to the last `@` is
 * hidden. The path of an SQLite file has no password.
 */
function withoutPasswords(value: string): string {
  if (value.startsWith('sqlite:')) return value;
  return value
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@]*):.*@/is, `$1:${HIDDEN}@`)
    .replaceAll(/([?&](?:ssl)?password=)[^&]+/gi, `$1${HIDDEN}`);
}
