/** Compares addresses regardless of spelling. Source: RFC 3986, section 6.2. */

const ESCAPED = /%([0-9a-f]{2})/gi;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * Scheme and host in lower case, no unnecessary escapes, no slash at the end. Undefined if the text is not an address.
 */
export function normalAddress(address: string): URL | undefined {
  const url = URL.parse(address);
  if (!url) return undefined;
  url.pathname = url.pathname.replace(/\/$/, '').replaceAll(ESCAPED, (escaped: string, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return UNRESERVED.test(character) ? character : escaped.toUpperCase();
  });
  return url;
}
