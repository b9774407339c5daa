/** Hosted MCP servers for tests: rows as the platform makes them, and what their processes answer. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platformStatement, rowOf } from '../../src/database/statement.ts';
import type { Row } from '../../src/database/tables/tables.ts';
import { Builds } from '../../src/mcp/hosting/builds/builds.ts';
import type { HostedConnection } from '../../src/mcp/hosting/launch/schema.ts';
import type { StoredLaunch } from '../../src/mcp/hosting/launch/stored-launch.ts';
import type { Upstream, UpstreamError } from '../../src/mcp/upstream/upstream.ts';
import { newTimeOrderedId } from '../../src/values/id.ts';
import type { JsonText } from '../../src/values/json.ts';
import type { TestServer } from './server.ts';

const insertServer = platformStatement<Row<'mcp_server'>, unknown>((query, given) =>
  query.insertInto('mcp_server').values(rowOf('mcp_server', given)),
);
const insertBuild = platformStatement<Row<'server_build'>, unknown>((query, given) =>
  query.insertInto('server_build').values(rowOf('server_build', given)),
);
const insertDeployment = platformStatement<Row<'server_deployment'>, unknown>((query, given) =>
  query.insertInto('server_deployment').values(rowOf('server_deployment', given)),
);
const endLive = platformStatement<{ server_id: string }, unknown>((query, given) =>
  query
    .updateTable('server_deployment')
    .set({ status: 'superseded' })
    .where('server_id', '=', given.server_id)
    .where('status', '=', 'live'),
);
const anyOrganization = platformStatement<object, { id: string }>((query) =>
  query.selectFrom('organization').select('id').where('slug', '=', 'default'),
);
const processLogs = platformStatement<{ server_id: string }, { stream: string; message: string }>((query, given) =>
  query
    .selectFrom('server_process_log')
    .where('server_id', '=', given.server_id)
    .select(['stream', 'message'])
    .orderBy('id'),
);

/** Runs waiting builds, and resolves when they have ended. */
export async function buildAll({ server }: TestServer): Promise<void> {
  const builds = new Builds(server);
  await builds.begin();
  await builds.settled();
  await builds.stop();
}

/** A server of the default organization (created when there is none), without a deployment. */
export async function hostedServer(
  { server }: TestServer,
  slug: string,
  connection: Partial<HostedConnection> = {},
): Promise<string> {
  const id = newTimeOrderedId();
  const now = server.clock.now();
  await server.store.platform.transaction(async (tx) => {
    const organization = await tx.first(anyOrganization, {});
    await tx.run(insertServer, {
      id,
      created: now,
      updated: now,
      organization_id: organization!.id,
      slug,
      name: slug,
      description: '',
      kind: 'hosted',
      visibility: 'discoverable',
      default_role: null,
      authentication: 'platform',
      denied_as: 'forbidden',
      policy: '[]' as JsonText,
      policy_version: 1,
      connection: JSON.stringify(connection) as JsonText,
      encrypted_credential: null,
      connection_version: 1,
      manifest: null,
      manifest_version: 0,
      manifest_read_at: null,
      manifest_error: null,
      manifest_due: null,
      stopped_at: null,
      workspace_id: null,
      personal_credential: null,
      encrypted_client_secret: null,
      limits: null,
      approved_tools: null,
    });
  });
  return id;
}

/** Deploys a command as if it had been built and promoted, and returns the id of the deployment. */
export async function deployCommand({ server }: TestServer, serverId: string, command: string[]): Promise<string> {
  const build = newTimeOrderedId();
  const deployment = newTimeOrderedId();
  const now = server.clock.now();
  const launch: StoredLaunch = { command, directory: 'empty', shared: [], environment: {} };
  await server.store.platform.transaction(async (tx) => {
    await tx.run(insertBuild, {
      id: build,
      created: now,
      server_id: serverId,
      actor_name: 'test',
      state: 'succeeded',
      source: '{}' as JsonText,
      entrypoint: null,
      dependency_path: null,
      promote: true,
      encrypted_environment: null,
      claimed_until: null,
      cancel_requested: false,
      started: now,
      finished: now,
      error: null,
      launch: JSON.stringify(launch) as JsonText,
      resolved: '{}' as JsonText,
    });
    await tx.run(endLive, { server_id: serverId });
    await tx.run(insertDeployment, {
      id: deployment,
      created: now,
      server_id: serverId,
      build_id: build,
      actor_name: 'test',
      status: 'live',
      ended: null,
    });
    tx.afterCommit(() => server.hub.tell('servers', serverId, 'deployment'));
  });
  return deployment;
}

/** The stored output of the processes of a server: `stdout: hello`. */
export async function outputOf({ server }: TestServer, serverId: string): Promise<string[]> {
  const lines = await server.store.platform.reads().all(processLogs, { server_id: serverId });
  return lines.map(({ stream, message }) => `${stream}: ${message}`);
}

/** A folder for programs of a test. */
export interface Programs {
  readonly folder: string;
  /** Writes a module for Node and returns the command that runs it. */
  node(name: string, code: string): Promise<string[]>;
  remove(): Promise<void>;
}

export async function makePrograms(): Promise<Programs> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-programs-'));
  return {
    folder,
    node: async (name, code) => {
      const file = join(folder, `${name}.mjs`);
      await writeFile(file, code);
      // A program of a server that runs as root has another user; a server in this process may have set the umask.
      await chmod(file, 0o644);
      return [process.execPath, file];
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own assertion
  readonly body: any;
  /** The messages of an event stream. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly events: any[];
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Sends one request and reads the whole answer. Rejects with the UpstreamError when there is none. */
export function ask(
  upstream: Upstream,
  body: unknown,
  headers: Record<string, string> = {},
  method: 'POST' | 'GET' | 'DELETE' = 'POST',
): Promise<UpstreamAnswer> {
  return open(upstream, body, headers, method).answer;
}

export interface OpenCall {
  readonly answer: Promise<UpstreamAnswer>;
  /** The part of the answer received so far. */
  text(): string;
  abort(): void;
}

export function open(
  upstream: Upstream,
  body: unknown,
  headers: Record<string, string> = {},
  method: 'POST' | 'GET' | 'DELETE' = 'POST',
): OpenCall {
  let text = '';
  let abort = () => {};
  const answer = new Promise<UpstreamAnswer>((resolve, reject) => {
    let status = 0;
    let answered = {};
    const bytes = body === undefined ? null : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const call = upstream.send(
      { method, headers: { ...JSON_HEADERS, ...headers }, body: bytes },
      {
        begin: (code, given) => {
          status = code;
          answered = given;
        },
        data: (chunk) => {
          text += chunk.toString('utf8');
          return true;
        },
        end: () => resolve({ status, headers: answered, text, body: parsed(text), events: eventsOf(text) }),
        fail: (error: UpstreamError) => reject(error),
      },
    );
    abort = () => call.abort();
  });
  return { answer, text: () => text, abort: () => abort() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The data of each complete event. */
export function eventsOf(text: string): unknown[] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .map((block) => block.split('\n').find((line) => line.startsWith('data: ')))
    .filter((line) => line !== undefined)
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
