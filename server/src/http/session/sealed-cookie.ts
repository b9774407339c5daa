/**
 * Data that a browser keeps while its person signs in at another site. It is sealed, so that only this server writes
 * it, and another browser cannot continue the sign-in. Each sign-in has a cookie of its own: a person may begin one in
 * each of two tabs, and finish both.
 */
import { createHash } from 'node:crypto';
import { Forbidden } from '../../errors.ts';
import type { PlatformCookie } from '../../network/platform-cookies.ts';
import { secondsBetween, type Timestamp } from '../../values/time.ts';
import type { PageInput } from '../routes/page-route.ts';
import { cookieOf, setCookie } from './session-cookie.ts';

const VALID_SECONDS = 600;
/** Sign-ins that a browser keeps. All its cookies are sent with each request, whose head has a size limit. */
const MAX_KEPT = 5;

/** The parameter `state` of the other site's answer identifies the sign-in. */
interface UnderWay {
  readonly state: string;
}

interface SealedCookie<Kept> {
  /** The headers `set-cookie` that make the browser keep this sign-in, and delete the oldest if it keeps many. */
  keep(input: PageInput, kept: Kept): string[];
  /** The header `set-cookie` that makes the browser delete the sign-in that the answer belongs to. */
  forget(input: PageInput): string;
  /**
   * Throws Forbidden for a browser without this sign-in, and for a value that is too old or that this server did not
   * write.
   */
  read(input: PageInput): Kept;
}

interface Sealed<Kept> {
  /** Name of the cookie; the value of one cookie is not valid in another. */
  readonly purpose: string;
  readonly begun: Timestamp;
  readonly kept: Kept;
}

/** `path`: the cookie is only sent to pages below it, whatever path a proxy puts before it. */
export function sealedCookie<Kept extends UnderWay>(purpose: PlatformCookie, path: string): SealedCookie<Kept> {
  const nameOf = (state = ''): PlatformCookie =>
    `${purpose}_${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`;
  const set = ({ context: { origin } }: PageInput, name: PlatformCookie, value: string, maxAgeSeconds: number) =>
    setCookie(name, value, path, maxAgeSeconds, origin);
  const opened = ({ context, headers }: PageInput, name: PlatformCookie): Sealed<Kept> | undefined => {
    const value = cookieOf({ cookie: String(headers['cookie'] ?? '') }, name);
    const sealed = value === undefined ? undefined : unsealed<Kept>(context.server.encryption.decrypt, value);
    return sealed?.purpose === purpose ? sealed : undefined;
  };
  const others = (input: PageInput) =>
    namesOf(String(input.headers['cookie'] ?? ''))
      .filter((name): name is PlatformCookie => name.startsWith(`${purpose}_`))
      .sort((one, other) => (beginningOf(opened(input, one)) < beginningOf(opened(input, other)) ? 1 : -1));
  return {
    keep: (input, kept) => {
      const { server, now } = input.context;
      const sealed: Sealed<Kept> = { purpose, begun: now, kept };
      const value = Buffer.from(server.encryption.encrypt(JSON.stringify(sealed))).toString('base64url');
      const forgotten = others(input).slice(MAX_KEPT - 1);
      return [
        set(input, nameOf(kept.state), value, VALID_SECONDS),
        ...forgotten.map((name) => set(input, name, '', 0)),
      ];
    },
    forget: (input) => set(input, nameOf(input.query['state']), '', 0),
    read: (input) => {
      const sealed = opened(input, nameOf(input.query['state']));
      if (!sealed || secondsBetween(sealed.begun, input.context.now) > VALID_SECONDS) throw begunElsewhere();
      return sealed.kept;
    },
  };
}

/** An unreadable cookie counts as older than all others. */
function beginningOf(sealed: Sealed<unknown> | undefined): string {
  return sealed?.begun ?? '';
}

function namesOf(cookie: string): string[] {
  return cookie.split(';').map((part) => part.trim().split('=', 1)[0] ?? '');
}

/** The error when another browser or another person began this sign-in. */
export function begunElsewhere(): Forbidden {
  return new Forbidden('This sign-in did not begin in this browser, or it took too long. Start again.');
}

function unsealed<Kept>(decrypt: (text: string) => string, value: string): Sealed<Kept> | undefined {
  try {
    return JSON.parse(decrypt(Buffer.from(value, 'base64url').toString())) as Sealed<Kept>;
  } catch {
    return undefined;
  }
}
