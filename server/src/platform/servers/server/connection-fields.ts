/** The fields that describe how the gateway reaches a server. */
import { refine, Type } from '../../../schema/kinds.ts';

const MAX_URL = 2000;
const MAX_SECRET = 10_000;

export const HttpUrl = refine(Type.String({ maxLength: MAX_URL }), (text) => {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials: they have a field of their own';
  if (url.hash !== '') return 'must not have a fragment';
  const secret = [...url.searchParams].find(([name, value]) => isSecret(name, value))?.[0];
  return secret === undefined
    ? undefined
    : `must not contain a secret (${secret} in its query), because addresses are stored and shown unencrypted: give it as a credential of the kind bearer, header or headers`;
});

const SECRET_WORDS = new Set(
  'key apikey token accesstoken authtoken secret clientsecret password passwd pwd passphrase authorization bearer credential credentials signature sig jwt'.split(
    ' ',
  ),
);
/** Matches the recognizable prefixes of services' keys, and a JSON Web Token. */
const SECRET_VALUE = /^(sk-|pk_|sk_|rk_|gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|AKIA|AIza|sb[xhs]_|eyJ[\w-]+\.)/;

/**
 * True if a parameter of an address contains a secret, by the words of its name (`api_key`, `authToken`) or by its
 * value.
 */
function isSecret(name: string, value: string): boolean {
  if (value === '') return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_VALUE.test(value);
}

/** The reason why a text cannot be sent upstream as a secret in a header; undefined when it can. */
export function problemOfSecret(text: string): string | undefined {
  if (text.length > MAX_SECRET) return `must have at most ${MAX_SECRET} characters`;
  const isPrintable = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return isPrintable ? undefined : 'must be printable ASCII without spaces around it';
}

/** It is stored encrypted and never returned. */
export const Secret = refine(Type.String({ minLength: 1, maxLength: MAX_SECRET }), problemOfSecret);

const RESERVED_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|accept|cookie|expect|mcp-.*|proxy-.*|signalbox-.*)$/i;

export const HeaderName = refine(Type.String({ minLength: 1, maxLength: 100 }), (text) => {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text)) return 'must be the name of a header';
  return RESERVED_HEADERS.test(text) ? 'must not be a header of the protocol' : undefined;
});
