/** An external server from a `server.json` of the MCP registry. */
import { NamedRefusal, ValidationFailed } from '../../errors.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { ServerCreate } from '../servers/schema.ts';
import { MAX_HEADERS } from '../servers/upstream-credential.ts';
import type { Header, Input, RegistryServer, Remote, ServerImport } from './schema.ts';

const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas/';
const MAX_SLUG = 60;
/** Characters of an address or header with its variables filled in: each variable may stand in it thousands of times. */
const MAX_FILLED_IN = 10_000;
/** Characters of the choices that a refusal lists. */
const MAX_LISTED = 500;
const decodeServer = compileDecoder(ServerCreate, 'body');

/**
 * The server that the file describes. Throws NamedRefusal: `schema_not_supported`,
 * `packages_not_supported`, `transport_not_supported`, `no_remote`, `variable_missing`, `header_missing`,
 * `header_unknown`, `headers_not_supported`, `value_not_allowed`.
 */
export function serverOfImport(given: ServerImport): ServerCreate {
  const { serverJson, variables } = given;
  if (serverJson.$schema && !serverJson.$schema.startsWith(SCHEMAS)) {
    refuse(
      'schema_not_supported',
      ['serverJson', '$schema'],
      `This is not a schema of the MCP registry (${SCHEMAS}…).`,
    );
  }
  const { remote, index } = usableRemote(serverJson);
  const place = ['serverJson', 'remotes', index];
  const url = filledIn(remote.url, remote.variables ?? {}, variables ?? {}, [...place, 'url']);
  const headers = headersOf(remote, given, place);
  const last = serverJson.name.split('/').at(-1) ?? '';
  const decoded = decodeServer({
    slug: given.slug ?? slugOf(last),
    name: given.name ?? (serverJson.title?.trim() || last),
    description: serverJson.description ?? '',
    kind: 'external',
    visibility: given.visibility ?? 'discoverable',
    defaultRole: given.defaultRole ?? null,
    external: { url, credential: credentialOf(headers) },
  });
  if (!decoded.ok) throw new ValidationFailed(decoded.issues);
  return decoded.value;
}

/** The first that the gateway can speak to. */
function usableRemote({ remotes, packages }: RegistryServer): { remote: Remote; index: number } {
  const index = (remotes ?? []).findIndex(({ type }) => type === 'streamable-http');
  const remote = remotes?.[index];
  if (remote) return { remote, index };
  if (remotes?.length) {
    const types = [...new Set(remotes.map(({ type }) => type))].join(', ');
    return refuse(
      'transport_not_supported',
      ['serverJson', 'remotes'],
      `The gateway speaks streamable-http, and this server offers ${types}.`,
    );
  }
  if (packages?.length) {
    const [first] = packages;
    const what = [first?.registryType, first?.identifier].filter(Boolean).join(' ');
    return refuse(
      'packages_not_supported',
      ['serverJson', 'packages'],
      `This server is a package to run (${what}) and has no address. Add it as a hosted server with the command that starts it.`,
    );
  }
  return refuse('no_remote', ['serverJson', 'remotes'], 'The file names no remote server.');
}

/** The headers that the connection sends: those with a value. */
function headersOf(remote: Remote, given: ServerImport, place: Place): { name: string; value: string }[] {
  const set = (remote.headers ?? []).flatMap((header, index) => {
    const value = headerValue(header, given, [...place, 'headers', index]);
    return value === undefined ? [] : [{ name: header.name, value }];
  });
  if (set.length > MAX_HEADERS) {
    refuse(
      'headers_not_supported',
      [...place, 'headers'],
      `The gateway sends at most ${MAX_HEADERS} headers, and ${set.length} have values.`,
    );
  }
  const known = new Set((remote.headers ?? []).map(({ name }) => name.toLowerCase()));
  const unknown = Object.keys(given.headers ?? {}).find((name) => !known.has(name.toLowerCase()));
  if (unknown !== undefined) refuse('header_unknown', ['headers', unknown], 'The file has no such header.');
  return set;
}

function headerValue(header: Header, { headers, variables }: ServerImport, place: Place): string | undefined {
  const { name, value } = header;
  if (typeof value === 'string') {
    // A header that may be left out is left out while nobody gives what it consists of.
    const isOpen = namesIn(value).some((variable) =>
      isUnset(own(header.variables, variable), own(variables, variable)),
    );
    if (isOpen && header.isRequired !== true) return undefined;
    return filledIn(value, header.variables ?? {}, variables ?? {}, place);
  }
  const entered = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  const found = entered || (header.default ?? undefined);
  if (found === undefined && header.isRequired === true) {
    refuse(
      'header_missing',
      ['headers', name],
      `The server needs the header ${name}. ${header.description ?? ''}`.trim(),
    );
  }
  if (found !== undefined) checkChoice(header, found, ['headers', name]);
  return found;
}

const VARIABLE = /\{([a-zA-Z_][a-zA-Z0-9_-]*)\}/g;

function namesIn(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map(([, name]) => name ?? '');
}

function isUnset(input: Input | undefined, entered: string | undefined): boolean {
  return input !== undefined && !entered && typeof input.value !== 'string' && typeof input.default !== 'string';
}

/** A name that the file does not describe stays as it stands, as the schema says. */
function filledIn(
  template: string,
  inputs: Readonly<Record<string, Input>>,
  entered: Readonly<Record<string, string>>,
  place: Place,
): string {
  let length = template.length;
  return template.replace(VARIABLE, (whole, name: string) => {
    const input = own(inputs, name);
    if (!input) return whole;
    const value = input.value ?? (own(entered, name) || input.default);
    if (typeof value !== 'string') {
      const text = input.description ? ` ${input.description}` : '';
      return refuse(
        'variable_missing',
        ['variables', name],
        `${place.at(-1) === 'url' ? 'The address' : 'A header'} needs the value of ${name}.${text}`,
      );
    }
    checkChoice(input, value, ['variables', name]);
    length += value.length - whole.length;
    if (length > MAX_FILLED_IN) {
      refuse('value_not_allowed', place, `Must have at most ${MAX_FILLED_IN} characters with its variables filled in.`);
    }
    return value;
  });
}

/** Names come from the file, and may be those of what every object inherits. */
function own<T>(record: Readonly<Record<string, T>> | null | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

function checkChoice({ choices }: Input, value: string, place: Place): void {
  if (!choices?.length || choices.includes(value)) return;
  const listed = choices.join(', ');
  const shown = listed.length <= MAX_LISTED ? `${listed}.` : `${listed.slice(0, MAX_LISTED)}…`;
  refuse('value_not_allowed', place, `Must be one of: ${shown}`);
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

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return slug || 'server';
}

type Place = readonly (string | number)[];

function refuse(code: string, place: Place, message: string): never {
  throw new NamedRefusal(code, place.join('.'), message);
}
