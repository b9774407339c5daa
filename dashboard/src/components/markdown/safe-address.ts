const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/**
 * An address in a user's text that is safe for a link: the web or mail. Undefined for any other, including relative
 * ones.
 */
export function safeAddress(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return SCHEMES.has(protocol) ? href : undefined;
}
