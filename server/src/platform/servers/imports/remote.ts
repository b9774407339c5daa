/** The connection to a remote of a registry file. */
import { MAX_HEADERS } from '../server/upstream-credential.ts';
import type { Remote } from './registry-file.ts';
import type { ImportValues } from './schema.ts';
import { type Entered, filledIn, inputsWithValues, namesIn, own, type Place, refuse } from './values.ts';

const HEADERS: Entered = {
  field: 'headers',
  what: 'A header',
  missing: 'header_missing',
  unknown: 'header_unknown',
};

/** Throws NamedRefusal for a remote with another transport. */
export function checkTransport({ type }: Remote, place: Place): void {
  if (type === 'streamable-http') return;
  refuse('transport_not_supported', [...place, 'type'], `The gateway supports streamable-http, but this is ${type}.`);
}

/** The connection in the form of `external` of a new server. Throws NamedRefusal. */
export function connectionOf(remote: Remote, given: ImportValues, place: Place) {
  const at = [...place, 'url'];
  const secret = namesIn(remote.url).find((name) => own(remote.variables, name)?.isSecret === true);
  if (secret !== undefined) {
    refuse(
      'secret_in_address',
      at,
      `The address would show the secret ${secret}. Register the server with a credential.`,
    );
  }
  const url = filledIn(remote.url, remote.variables ?? {}, given.variables ?? {}, {
    what: 'The address',
    place: at,
  });
  return { url, credential: credentialOf(headersOf(remote, given, place)) };
}

/** The headers that the connection sends: those with a value. */
function headersOf({ headers }: Remote, given: ImportValues, place: Place): { name: string; value: string }[] {
  const at = [...place, 'headers'];
  const set = inputsWithValues(headers ?? [], given, HEADERS, at);
  if (set.length > MAX_HEADERS) {
    refuse(
      'headers_not_supported',
      at,
      `The gateway sends at most ${MAX_HEADERS} headers, and ${set.length} have values.`,
    );
  }
  return set.map(({ input: { name }, value }) => ({ name, value }));
}

function credentialOf(headers: readonly { readonly name: string; readonly value: string }[]) {
  const [first, ...others] = headers;
  if (!first) return { kind: 'none' };
  if (others.length > 0) {
    return { kind: 'headers', headers: headers.map(({ name, value }) => ({ name, secret: value })) };
  }
  const { name, value } = first;
  const bearer = name.toLowerCase() === 'authorization' ? /^Bearer (.+)$/.exec(value)?.[1] : undefined;
  return bearer === undefined ? { kind: 'header', name, secret: value } : { kind: 'bearer', secret: bearer };
}
