/** The offers in a file: each remote, package or server of an MCP client that could become a server here. */
import { NamedRefusal, ValidationFailed } from '../../../errors.ts';
import { compileDecoder, type Decoded } from '../../../schema/decode.ts';
import { isJsonObject, type JsonText } from '../../../values/json.ts';
import { type ClientSettings, clientServer, clientSettingsIn } from './client-settings.ts';
import { fileIn } from './file-text.ts';
import { leftOutOf } from './left-out.ts';
import { inNewestSpelling } from './older-spellings.ts';
import { type HostedPackage, hostedPackage } from './package.ts';
import { Package, RegistryFile, Remote } from './registry-file.ts';
import { checkTransport } from './remote.ts';
import { type Place, refuse } from './values.ts';

export type Way =
  | { readonly kind: 'remote'; readonly remote: Remote; readonly place: Place }
  | { readonly kind: 'package'; readonly found: Package; readonly hosted: HostedPackage }
  /** It cannot be imported. */
  | { readonly kind: 'none'; readonly refusal: NamedRefusal; readonly source: string; readonly isRemote: boolean };

export interface Offer {
  /** Path within the file: `remotes.0`, `mcpServers.github`. */
  readonly from: string;
  /** `com.example/weather`, or the name in the client's settings. */
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly way: Way;
  /** Paths within the file. */
  readonly leftOut: readonly string[];
}

export interface OfferedServer {
  /** Path within the file; empty if the file is the server. */
  readonly path: readonly string[];
  readonly offers: readonly Offer[];
}

const FIELD = 'serverJson';
const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas/';
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;
const MAX_SERVERS = 100;
/** Characters that a preview shows of a server that cannot be imported. */
const MAX_SHOWN = 300;
const decodeFile = compileDecoder(RegistryFile, 'body');
const decodeRemote = compileDecoder(Remote, 'body');
const decodePackage = compileDecoder(Package, 'body');

type Members = Readonly<Record<string, unknown>>;

/**
 * The servers of a file, each with at least one offer. Throws ValidationFailed, and NamedRefusal for a file without
 * any.
 */
export function offeredServers(given: JsonText): readonly OfferedServer[] {
  const file = fileIn(given);
  if (!isJsonObject(file)) return invalid([], 'Must be a JSON object, or its text.');
  const settings = isRegistryFile(file) ? undefined : clientSettingsIn(file);
  const servers = settings ? settingsServers(settings) : registryServers(file);
  if (servers.length === 0) refuse('no_remote', [FIELD], 'The file names no server.');
  return servers;
}

/** A registry file always names its server in this form. */
function isRegistryFile({ name, server, remotes, packages }: Members): boolean {
  return isJsonObject(server) || Array.isArray(remotes) || Array.isArray(packages) || NAME.test(String(name));
}

function settingsServers({ path, servers, inputs }: ClientSettings): OfferedServer[] {
  return few(Object.entries(servers)).flatMap(([name, server]) => {
    const at = path ? [...path, name] : [];
    const from = at.join('.') || name;
    const place = [FIELD, ...at];
    try {
      const given = isJsonObject(server) ? server : refuse('no_remote', place, 'This is not a server.');
      const { file, leftOut } = clientServer(name, given, inputs, place);
      const [offer] = offersOf(file, at);
      if (!offer) return [];
      const way = offer.way.kind === 'none' ? { ...offer.way, refusal: placedAt(place, offer.way.refusal) } : offer.way;
      return [
        { path: at, offers: [{ ...offer, from, way, leftOut: leftOut.map((member) => [...at, member].join('.')) }] },
      ];
    } catch (error) {
      return [{ path: at, offers: [unusable(from, name, refusalOf(error, place))] }];
    }
  });
}

function unusable(from: string, name: string, refusal: NamedRefusal): Offer {
  const way = { kind: 'none', refusal, source: '', isRemote: false } as const;
  return { from, name, title: undefined, description: '', way, leftOut: [] };
}

/** Places a refusal at the server: a client's settings have no members of a registry file. */
function placedAt(place: Place, { code, message }: NamedRefusal): NamedRefusal {
  return new NamedRefusal(code, place.join('.'), message);
}

/** The servers of the file itself, of a registry's answer for one server, or of its list. */
function registryServers(file: Members): OfferedServer[] {
  if (Array.isArray(file.servers)) {
    const paths = file.servers.map((_, index) => ['servers', String(index)]);
    return few(paths).flatMap((path, index) => listedServer((file.servers as unknown[])[index], path));
  }
  return registryServer(file, []);
}

/** A malformed server in a list does not prevent the use of the others. */
function listedServer(given: unknown, at: readonly string[]): OfferedServer[] {
  try {
    return registryServer(given, at);
  } catch (error) {
    const from = at.join('.');
    return [{ path: at, offers: [unusable(from, from, refusalOf(error, [FIELD, ...at]))] }];
  }
}

function registryServer(given: unknown, at: readonly string[]): OfferedServer[] {
  if (!isJsonObject(given)) return invalid(at, 'Must be a JSON object.');
  const isWrapped = isJsonObject(given.server);
  const path = isWrapped ? [...at, 'server'] : at;
  const original = isJsonObject(given.server) ? given.server : given;
  const file = inNewestSpelling(original);
  const place = [FIELD, ...path];
  const { $schema } = file;
  if (typeof $schema === 'string' && !$schema.startsWith(SCHEMAS)) {
    const message = `This is not a schema of the MCP registry (${SCHEMAS}…).`;
    refuse('schema_not_supported', [...place, '$schema'], message);
  }
  const offers = offersOf(file, path);
  const around = isWrapped ? Object.keys(given).filter((name) => name !== 'server') : [];
  const missing = around.map((name) => [...at, name].join('.'));
  if (offers.length === 0) {
    refuse('no_remote', [...place, 'remotes'], 'The file names no remote server and no package.');
  }
  return [
    {
      path,
      offers: offers.map((offer) => ({ ...offer, leftOut: [...missing, ...leftOutOf(file, offer.from, path)] })),
    },
  ];
}

/** `at` is the path of the file within the sent value. */
function offersOf(file: Members, at: readonly string[]): Offer[] {
  const { name, title, description } = valid(decodeFile(file), [FIELD, ...at]);
  const about = { name, title: title?.trim() || undefined, description: description ?? '', leftOut: [] };
  const read = (list: 'remotes' | 'packages', wayOf: (given: unknown, place: Place) => Way) =>
    itemsOf(file[list], [...at, list]).map((given, index) => {
      const path = [...at, list, String(index)];
      return { ...about, from: path.join('.'), way: wayOf(given, [FIELD, ...path]) };
    });
  return [...read('remotes', remoteWay), ...read('packages', packageWay)];
}

function itemsOf(list: unknown, path: readonly string[]): readonly unknown[] {
  if (list === undefined || list === null) return [];
  return Array.isArray(list) ? few(list) : invalid(path, 'Must be an array.');
}

function remoteWay(given: unknown, place: Place): Way {
  try {
    const remote = valid(decodeRemote(given), place);
    checkTransport(remote, place);
    return { kind: 'remote', remote, place };
  } catch (error) {
    const source = isJsonObject(given) ? textOf(given.url) : '';
    return { kind: 'none', refusal: refusalOf(error, place), source, isRemote: true };
  }
}

function packageWay(given: unknown, place: Place): Way {
  try {
    const found = valid(decodePackage(given), place);
    return { kind: 'package', found, hosted: hostedPackage(found, place) };
  } catch (error) {
    const { registryType, identifier, version } = isJsonObject(given) ? given : {};
    const source = [registryType, identifier, version].map(textOf).filter(Boolean).join(' ');
    return { kind: 'none', refusal: refusalOf(error, place), source, isRemote: false };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_SHOWN) : '';
}

function valid<T>(result: Decoded<T>, place: Place): T {
  if (result.ok) return result.value;
  throw new ValidationFailed(
    result.issues.map((issue) => ({ ...issue, loc: ['body', ...place, ...issue.loc.slice(1)] })),
  );
}

/**
 * The offer that an import uses if it names none: a remote before a package. If all are refused, the refusal about the
 * smallest part is the closest.
 */
export function firstChoice(offers: readonly Offer[]): Offer | undefined {
  const depth = ({ way }: Offer) =>
    way.kind === 'none' ? way.refusal.field.split('.').length : Number.POSITIVE_INFINITY;
  return offers.reduce<Offer | undefined>(
    (best, offer) => (best && depth(best) >= depth(offer) ? best : offer),
    undefined,
  );
}

/** A malformed remote or package counts as one that cannot be imported. */
function refusalOf(error: unknown, place: Place): NamedRefusal {
  if (error instanceof NamedRefusal) return error;
  if (!(error instanceof ValidationFailed)) throw error;
  const [issue] = error.issues;
  return new NamedRefusal('validation_failed', issue?.loc.slice(1).join('.') ?? place.join('.'), issue?.msg ?? '');
}

function few<T>(list: readonly T[]): readonly T[] {
  return list.length > MAX_SERVERS ? invalid([], `Must have at most ${MAX_SERVERS} servers.`) : list;
}

function invalid(path: readonly string[], msg: string): never {
  throw new ValidationFailed([{ type: 'value_error', loc: ['body', FIELD, ...path], msg }]);
}
