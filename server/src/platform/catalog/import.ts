/** A server from a `server.json` of the MCP registry. */
import { ValidationFailed } from '../../errors.ts';
import type { OrganizationContext } from '../../platform-context.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { queueBuild } from '../server-builds/operations.ts';
import { storeVariable } from '../server-environment/operations.ts';
import { checkHosting } from '../servers/hosted-access.ts';
import { createServer } from '../servers/operations.ts';
import type { ServerRow } from '../servers/queries.ts';
import { ServerCreate } from '../servers/schema.ts';
import { isHostable, type PackagePlan, planOf } from './import-package.ts';
import { connectionOf } from './import-remote.ts';
import { refuse } from './import-values.ts';
import type { RegistryServer, ServerImport } from './schema.ts';

const SCHEMAS = 'https://static.modelcontextprotocol.io/schemas/';
const MAX_SLUG = 60;
const decodeServer = compileDecoder(ServerCreate, 'body');

/** What the file describes: an external server, or a hosted one with its first build. */
interface Imported {
  readonly server: ServerCreate;
  readonly plan: PackagePlan | undefined;
}

/**
 * Adds the server that the file describes. Throws NamedRefusal, whose codes the route lists, Forbidden for a package where
 * nothing is hosted, and what `createServer` throws.
 */
export async function importServer(context: OrganizationContext, given: ServerImport): Promise<ServerRow> {
  const { server, plan } = importedBy(given);
  if (!plan) return createServer(context, server);
  checkHosting(context);
  return createServer(context, server, async (tx, row) => {
    for (const { name, ...variable } of plan.variables) await storeVariable(context, tx, row, name, variable);
    await queueBuild(context, tx, row, { source: plan.source, entrypoint: null, dependencyPath: null, deploy: true });
  });
}

function importedBy(given: ServerImport): Imported {
  const { $schema, remotes, packages } = given.serverJson;
  if ($schema && !$schema.startsWith(SCHEMAS)) {
    refuse(
      'schema_not_supported',
      ['serverJson', '$schema'],
      `This is not a schema of the MCP registry (${SCHEMAS}…).`,
    );
  }
  const remote = remotes?.find(({ type }) => type === 'streamable-http');
  if (remotes && remote) {
    const external = connectionOf(remote, given, ['serverJson', 'remotes', remotes.indexOf(remote)]);
    return { server: describedServer(given, { kind: 'external', external }), plan: undefined };
  }
  const found = packages?.find(isHostable);
  if (packages && found) {
    const plan = planOf(given, found, ['serverJson', 'packages', packages.indexOf(found)]);
    return { server: describedServer(given, { kind: 'hosted', hosted: { transport: 'stdio' } }), plan };
  }
  return refuseServer(given.serverJson);
}

function describedServer(
  { serverJson, ...given }: ServerImport,
  kind: { readonly kind: 'external' | 'hosted' } & Readonly<Record<string, unknown>>,
): ServerCreate {
  const last = serverJson.name.split('/').at(-1) ?? '';
  const decoded = decodeServer({
    slug: given.slug ?? slugOf(last),
    name: given.name ?? (serverJson.title?.trim() || last),
    description: serverJson.description ?? '',
    visibility: given.visibility ?? 'discoverable',
    defaultRole: given.defaultRole ?? null,
    ...kind,
  });
  if (!decoded.ok) throw new ValidationFailed(decoded.issues);
  return decoded.value;
}

/** Says why neither a remote nor a package can be used. */
function refuseServer({ remotes, packages }: RegistryServer): never {
  if (packages?.length) {
    const [first] = packages;
    const what = [first?.registryType, first?.identifier].filter(Boolean).join(' ');
    refuse(
      'packages_not_supported',
      ['serverJson', 'packages'],
      `Packages of npm and PyPI that speak over standard input and output can be hosted; this one cannot (${what}).`,
    );
  }
  if (remotes?.length) {
    const types = [...new Set(remotes.map(({ type }) => type))].join(', ');
    refuse(
      'transport_not_supported',
      ['serverJson', 'remotes'],
      `The gateway speaks streamable-http, and this server offers ${types}.`,
    );
  }
  return refuse('no_remote', ['serverJson', 'remotes'], 'The file names no remote server and no package.');
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG)
    .replace(/^-+|-+$/g, '');
  return slug || 'server';
}
