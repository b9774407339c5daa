/** Makes a server from a file that a project publishes or that a person has. */

import type { OrganizationContext } from '../../../context/platform-context.ts';
import { NamedConflict, ValidationFailed } from '../../../errors.ts';
import { compileDecoder } from '../../../schema/decode.ts';
import { queueBuild } from '../builds/operations.ts';
import { storeVariable } from '../environment/operations.ts';
import { createServer } from '../registration/operations.ts';
import { checkHosting } from '../server/hosted-access.ts';
import type { ServerRow } from '../server/queries.ts';
import { ServerCreate } from '../server/schema.ts';
import { freeSlug } from './free-slug.ts';
import { firstChoice, type Offer, type OfferedServer, offeredServers } from './offers.ts';
import { type PackagePlan, planOf } from './package.ts';
import { questionsOf } from './questions.ts';
import { connectionOf } from './remote.ts';
import type { ServerImport, ServerImportPreview } from './schema.ts';
import { refuse } from './values.ts';

const decodeServer = compileDecoder(ServerCreate, 'body');
/** Attempts when a slug is taken between the search for a free one and its use. */
const TRIES = 5;

interface Imported {
  readonly row: ServerRow;
  readonly leftOut: readonly string[];
}

/**
 * Adds a server of the file. Throws ValidationFailed, NamedRefusal, whose codes the route lists, Forbidden for a
 * package if hosting is off, and the errors of `createServer`.
 */
export async function importServer(context: OrganizationContext, given: ServerImport): Promise<Imported> {
  const servers = offeredServers(given.serverJson);
  const offer = given.from ? offerAt(servers, given.from) : onlyChoice(servers);
  const { kind, plan } = connectionTo(offer, given);
  if (plan) checkHosting(context);
  for (let tries = 1; ; tries += 1) {
    const slug = given.slug ?? (await freeSlug(context, offer.name));
    try {
      const row = await createServer(context, describedServer(offer, given, slug, kind), async (tx, row) => {
        if (!plan) return;
        for (const { name, ...variable } of plan.variables) await storeVariable(context, tx, row, name, variable);
        await queueBuild(context, tx, row, {
          source: plan.source,
          entrypoint: null,
          dependencyPath: null,
          deploy: true,
        });
      });
      return { row, leftOut: offer.leftOut };
    } catch (error) {
      const isTaken = error instanceof NamedConflict && error.code === 'slug_taken';
      if (!isTaken || given.slug || tries === TRIES) throw error;
    }
  }
}

/** The offers in a file, and the inputs that each of its servers needs. Throws ValidationFailed and NamedRefusal. */
export async function previewImport(
  context: OrganizationContext,
  { serverJson }: Pick<ServerImport, 'serverJson'>,
): Promise<ServerImportPreview> {
  const servers: ServerImportPreview['servers'] = [];
  const taken = new Set<string>();
  for (const { offers } of offeredServers(serverJson)) {
    const slug = await freeSlug(context, offers[0]?.name ?? '', taken);
    taken.add(slug);
    const first = firstChoice(offers);
    servers.push(...offers.map((offer) => ({ ...shownOffer(offer), slug, isFirstChoice: offer === first })));
  }
  return { servers };
}

function shownOffer({ from, name, title, description, way, leftOut }: Offer) {
  const problem = way.kind === 'none' ? way.refusal : undefined;
  return {
    from,
    name: title ?? lastPart(name),
    description,
    kind: isExternal(way) ? ('external' as const) : ('hosted' as const),
    source: sourceOf(way),
    questions: [...questionsOf(way)],
    leftOut: [...leftOut],
    problem: problem ? { code: problem.code, field: problem.field, message: problem.message } : null,
  };
}

function isExternal(way: Offer['way']): boolean {
  return way.kind === 'none' ? way.isRemote : way.kind === 'remote';
}

function sourceOf(way: Offer['way']): string {
  if (way.kind === 'none') return way.source;
  if (way.kind === 'remote') return way.remote.url;
  const { registryType, identifier, extras = [], version } = way.hosted.source;
  const named = extras.length > 0 ? `${identifier}[${extras.join(',')}]` : identifier;
  return `${registryType} ${named} ${version ?? 'newest'}`;
}

function offerAt(servers: readonly OfferedServer[], from: string): Offer {
  const offers = servers.flatMap((server) => server.offers);
  return (
    offers.find((offer) => offer.from === from) ??
    refuse('server_unknown', ['from'], `The file has: ${listOf(offers)}.`)
  );
}

function onlyChoice(servers: readonly OfferedServer[]): Offer {
  const [server, ...others] = servers;
  const offer = firstChoice(server?.offers ?? []);
  if (others.length > 0 || !offer) {
    const all = servers.flatMap(({ offers }) => offers);
    refuse(
      'server_not_chosen',
      ['from'],
      `The file contains several servers. Choose one with \`from\`: ${listOf(all)}.`,
    );
  }
  return offer;
}

function listOf(offers: readonly Offer[]): string {
  return offers
    .map(({ from }) => from)
    .join(', ')
    .slice(0, 500);
}

/** The connection of the server, and its first build if it is hosted. */
function connectionTo({ way }: Offer, given: ServerImport): { kind: object; plan: PackagePlan | undefined } {
  if (way.kind === 'none') throw way.refusal;
  if (way.kind === 'package') {
    return { kind: { kind: 'hosted', hosted: { transport: 'stdio' } }, plan: planOf(way.hosted, given) };
  }
  return { kind: { kind: 'external', external: connectionOf(way.remote, given, way.place) }, plan: undefined };
}

function describedServer(
  { name, title, description }: Offer,
  given: ServerImport,
  slug: string,
  kind: object,
): ServerCreate {
  const decoded = decodeServer({
    slug,
    name: given.name ?? title ?? lastPart(name),
    description,
    visibility: given.visibility ?? 'discoverable',
    defaultRole: given.defaultRole ?? null,
    ...kind,
  });
  if (!decoded.ok) throw new ValidationFailed(decoded.issues);
  return decoded.value;
}

function lastPart(name: string): string {
  return name.split('/').at(-1) || name;
}
