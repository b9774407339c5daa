/** Hosted programs in Python, deployed and asked as their users would. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { sendJson } from './harness.ts';
import type { TwoTenants } from './two-tenants.ts';

/** Answers the first request as a server does. What follows it in a program begins then. */
export const ANSWER_FIRST = `
import json, sys
def answer(line):
    message = json.loads(line)
    result = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'idle', 'version': '1'}}
    if 'id' in message: print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
answer(sys.stdin.readline())
`;

export interface HostedProgram {
  /** Of the management API. */
  readonly path: string;
  /** At the gateway. */
  readonly url: string;
}

export interface BuildState {
  readonly id: string;
  readonly state: string;
  readonly error: string | null;
}

/** The files of a package of Python that a program of its own builds: a step of the build runs it. */
export const packageBuiltBy = (code: string): Readonly<Record<string, string>> => ({
  'backend.py': code,
  'main.py': '',
  'pyproject.toml': `[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "hostile"
version = "1"
`,
});

export const hasEnded = ({ state }: BuildState) => state !== 'queued' && state !== 'building';

export class HostedPrograms {
  readonly #tenants: () => Pick<TwoTenants, 'server' | 'headers'>;
  #count = 0;

  constructor(tenants: () => Pick<TwoTenants, 'server' | 'headers'>) {
    this.#tenants = tenants;
  }

  /** A hosted server without a build. */
  async made(hosted: object = {}): Promise<HostedProgram> {
    const { server } = this.#tenants();
    const number = ++this.#count;
    const { servingUrl } = await this.#created('servers', {
      ...{ name: `Program ${number}`, slug: `program-${number}`, kind: 'hosted' },
      hosted: { transport: 'stdio', ...hosted },
    });
    return { path: `${server.api}/v0/organizations/default/servers/program-${number}`, url: servingUrl };
  }

  /** Deploys a program that speaks over stdin and stdout. */
  async deployed(code: string, hosted: object = {}): Promise<HostedProgram> {
    const made = await this.made(hosted);
    const build = await this.build(made, { kind: 'command', command: ['python3', '-c', code] });
    await until('it is built', async () => (await this.stateOf(made, build)).state === 'succeeded');
    await this.#created(`servers/${made.path.split('/').at(-1)}/deployments`, { buildId: build });
    return made;
  }

  /** Builds a folder that holds these files, by name. */
  async buildFolder(program: HostedProgram, files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.#tenants().server.home, 'sources', String(++this.#count));
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return this.build(program, { kind: 'folder', path: folder });
  }

  /** Resolves with the id of a build that has been asked for. */
  async build({ path }: HostedProgram, source: object): Promise<string> {
    return (await this.#created(`servers/${path.split('/').at(-1)}/builds`, { source, deploy: false })).id;
  }

  async stateOf({ path }: HostedProgram, build: string): Promise<BuildState> {
    return JSON.parse(await this.#read(`${path}/builds/${build}`));
  }

  async buildLog({ path }: HostedProgram, build: string): Promise<string> {
    return this.#read(`${path}/builds/${build}/logs?limit=200`);
  }

  async remove({ path }: HostedProgram): Promise<void> {
    const { status, text } = await sendJson('DELETE', path, undefined, this.#tenants().headers);
    assert.equal(status, 204, text);
  }

  /** The status of an answer to `initialize`. */
  async initialize({ url }: HostedProgram): Promise<number> {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const accept = 'application/json, text/event-stream';
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    return (await sendJson('POST', url, body, { ...this.#tenants().headers, accept })).status;
  }

  async #created(path: string, body: object): Promise<{ id: string; servingUrl: string }> {
    const { server, headers } = this.#tenants();
    const { status, text } = await sendJson('POST', `${server.api}/v0/organizations/default/${path}`, body, headers);
    assert.equal(status, 201, text);
    return JSON.parse(text);
  }

  async #read(url: string): Promise<string> {
    const { status, text } = await sendJson('GET', url, undefined, this.#tenants().headers);
    assert.equal(status, 200, text);
    return text;
  }
}
