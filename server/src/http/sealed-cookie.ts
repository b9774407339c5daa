/**
 * What a browser keeps while its person is at another site to sign in. It is sealed, so that only this server writes it,
 * and another browser cannot go on with the sign-in.
 */
import { Forbidden } from '../errors.ts';
import type { PlatformCookie } from '../network/platform-cookies.ts';
import { secondsBetween, type Timestamp } from '../time.ts';
import type { PageInput } from './page-route.ts';
import { cookieOf, setCookie } from './session-cookie.ts';

const VALID_SECONDS = 600;

export interface SealedCookie<Kept> {
  /** The header `set-cookie` that makes the browser keep this. */
  keep(input: PageInput, kept: Kept): string;
  /** The header `set-cookie` that makes the browser forget it. */
  forget(input: PageInput): string;
  /** Throws Forbidden for a browser that keeps nothing, what this server did not write, or what is too old. */
  read(input: PageInput): Kept;
}

interface Sealed<Kept> {
  /** Name of the cookie, so that the value of one cookie is not accepted in another. */
  readonly purpose: string;
  readonly begun: Timestamp;
  readonly kept: Kept;
}

/** `path`: the cookie is sent to pages below it only, below whatever path a proxy serves them. */
export function sealedCookie<Kept>(name: PlatformCookie, path: string): SealedCookie<Kept> {
  const set = ({ context: { origin } }: PageInput, value: string, maxAgeSeconds: number) =>
    setCookie(name, value, path, maxAgeSeconds, origin);
  return {
    keep: (input, kept) => {
      const { server, now } = input.context;
      const sealed: Sealed<Kept> = { purpose: name, begun: now, kept };
      const value = Buffer.from(server.encryption.encrypt(JSON.stringify(sealed))).toString('base64url');
      return set(input, value, VALID_SECONDS);
    },
    forget: (input) => set(input, '', 0),
    read: ({ context, headers }) => {
      const value = cookieOf({ cookie: String(headers['cookie'] ?? '') }, name);
      const sealed = value === undefined ? undefined : opened<Kept>(context.server.encryption.decrypt, value);
      if (sealed?.purpose !== name || secondsBetween(sealed.begun, context.now) > VALID_SECONDS) throw begunElsewhere();
      return sealed.kept;
    },
  };
}

/** Another browser or another person began this sign-in. */
export function begunElsewhere(): Forbidden {
  return new Forbidden('This sign-in did not begin in this browser, or it took too long. Start again.');
}

function opened<Kept>(decrypt: (text: string) => string, value: string): Sealed<Kept> | undefined {
  try {
    return JSON.parse(decrypt(Buffer.from(value, 'base64url').toString())) as Sealed<Kept>;
  } catch {
    return undefined;
  }
}
