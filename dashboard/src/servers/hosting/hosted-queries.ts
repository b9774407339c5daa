/** Queries and changes of a hosted server: builds, deployments, programs, variables. */
import { answered, platform } from '../../api/client.ts';
import type { components } from '../../api/platform.gen.ts';
import { platformRead as read } from '../../api/read.ts';
import type { ServerPath } from '../queries.ts';

type Schemas = components['schemas'];
export type Build = Schemas['ServerBuild'];
export type BuildWrite = Schemas['ServerBuildCreate'];
export type Deployment = Schemas['ServerDeployment'];
export type OutputLine = Schemas['OutputLine'];

const one = '/organizations/{org}/servers/{server}';
const FIGURES_MILLISECONDS = 5000;
const LIST_SIZE = 50;
const WHOLE_PAGE = 200;
/**
 * Interval of reading the changes of other replicas: the stream only covers the replica that serves the page, and
 * another one may run the build or the program.
 */
const ELSEWHERE_MILLISECONDS = 15_000;

export function isEnded({ state }: Build): boolean {
  return state !== 'queued' && state !== 'building';
}

export const buildsQuery = (path: ServerPath) =>
  read.one(
    `${one}/builds`,
    { params: { path, query: { limit: LIST_SIZE } } },
    { watches: ['server_build', 'mcp_server'], refetchInterval: ELSEWHERE_MILLISECONDS },
  );

export const deploymentsQuery = (path: ServerPath) =>
  read.one(
    `${one}/deployments`,
    { params: { path, query: { limit: LIST_SIZE } } },
    { watches: ['server_build', 'mcp_server'], refetchInterval: ELSEWHERE_MILLISECONDS },
  );

export const startBuild = (path: ServerPath, body: BuildWrite) =>
  answered(platform.POST(`${one}/builds`, { params: { path }, body }));

export const cancelBuild = (path: ServerPath, id: string) =>
  answered(platform.POST(`${one}/builds/{id}/cancel`, { params: { path: { ...path, id } } }));

export const deployBuild = (path: ServerPath, buildId: string) =>
  answered(platform.POST(`${one}/deployments`, { params: { path }, body: { buildId } }));

export const rollBack = (path: ServerPath, id: string) =>
  answered(platform.POST(`${one}/deployments/{id}/rollback`, { params: { path: { ...path, id } } }));

/** Announces an archive and uploads it. Returns its id. */
export async function sendArchive(path: ServerPath, file: File): Promise<string> {
  const content = await file.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
  const checksumSha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const upload = await answered(
    platform.POST(`${one}/uploads`, { params: { path }, body: { sizeBytes: content.byteLength, checksumSha256 } }),
  );
  await answered(
    platform.PUT(`${one}/uploads/{id}`, {
      params: { path: { ...path, id: upload.id } },
      headers: { 'content-type': 'application/octet-stream' },
      body: content as never,
      bodySerializer: (body: unknown) => body as ArrayBuffer,
    }),
  );
  return upload.id;
}

/** A page of output: of a build, or of the programs of the server. */
export function readOutput(
  path: ServerPath,
  build: string | undefined,
  cursor: string | undefined,
  signal: AbortSignal,
) {
  const query = { limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
  return build === undefined
    ? answered(platform.GET(`${one}/process-logs`, { signal, params: { path, query } }))
    : answered(platform.GET(`${one}/builds/{id}/logs`, { signal, params: { path: { ...path, id: build }, query } }));
}

export const restartPrograms = (path: ServerPath) =>
  answered(platform.POST(`${one}/process/restart`, { params: { path } }));

/** Stops the programs until a person starts them; requests do not. */
export const stopPrograms = (path: ServerPath) => answered(platform.POST(`${one}/process/stop`, { params: { path } }));

export const startPrograms = (path: ServerPath) =>
  answered(platform.POST(`${one}/process/start`, { params: { path } }));

export const processQuery = (path: ServerPath) =>
  read.one(
    `${one}/process`,
    { params: { path } },
    {
      // The server prints a line when its program starts or ends. Memory and open requests change without an event.
      watches: ['server_output', 'server_request', 'mcp_server'],
      refetchInterval: FIGURES_MILLISECONDS,
    },
  );

export const environmentQuery = (path: ServerPath) =>
  read.one(`${one}/environment`, { params: { path, query: { limit: WHOLE_PAGE } } });

export const setVariable = (path: ServerPath, name: string, body: Schemas['ServerVariablePut']) =>
  answered(platform.PUT(`${one}/environment/{name}`, { params: { path: { ...path, name } }, body }));

export const deleteVariable = (path: ServerPath, name: string) =>
  answered(platform.DELETE(`${one}/environment/{name}`, { params: { path: { ...path, name } } }));
