import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, hostedServer } from '../../../../test/support/hosted.ts';
import { type PlatformCaller, person } from '../../../../test/support/platform.ts';
import { startServer, type TestServer } from '../../../../test/support/server.ts';
import { networksOf } from '../../../network/networks.ts';
import { findBubblewrap, programOnPath } from '../host/runner/bubblewrap.ts';
import { Builds } from './builds.ts';

const WHEEL = 'signalbox_greeting-1.0-py3-none-any.whl';
const MAKE_WHEEL = `
import sys, zipfile
info = 'signalbox_greeting-1.0.dist-info/'
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('signalbox_greeting.py', 'TEXT = "from the index"\\n')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: signalbox-greeting\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', 'signalbox_greeting.py,,\\n' + info + 'METADATA,,\\n' + info + 'WHEEL,,\\n' + info + 'RECORD,,\\n')
`;
const PROGRAM = `
import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from signalbox_greeting import TEXT

class Handler(BaseHTTPRequestHandler):
    def do_OPTIONS(self):
        self.send_response(204)
        self.end_headers()

    def do_POST(self):
        self.rfile.read(int(self.headers['content-length']))
        body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'result': {'text': TEXT}}).encode()
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

HTTPServer((os.environ['HOST'], int(os.environ['PORT'])), Handler).serve_forever()
`;

const bubblewrap = findBubblewrap();
const problem =
  (typeof bubblewrap === 'string' ? bubblewrap : bubblewrap.networkProblem) ??
  (programOnPath('python3') === undefined ? 'python3 is not installed' : false);

describe('Python sources in a sandbox', { skip: problem }, () => {
  let server: TestServer;
  let admin: PlatformCaller;
  let folder: string;
  let builds: Builds;
  const indexes: Server[] = [];
  before(async () => {
    const config = { hosting: 'sandbox', apiAuth: 'key', allowedPrivateNetworks: networksOf('127.0.0.2')! } as const;
    server = await startServer({ config });
    builds = new Builds(server.server);
    admin = await person(server, 'ada@example.com', 'admin');
    folder = await mkdtemp(join(tmpdir(), 'signalbox-python-'));
    execFileSync('python3', ['-c', MAKE_WHEEL, join(folder, WHEEL)]);
  });
  after(async () => {
    await server.stop();
    for (const index of indexes) index.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A package index, as pip reads it. Source: PEP 503. */
  async function index(address: string): Promise<string> {
    const wheel = await readFile(join(folder, WHEEL));
    const started = createServer((request, response) => {
      if (request.url?.endsWith('.whl')) return void response.end(wheel);
      response.setHeader('content-type', 'text/html');
      response.end(`<!DOCTYPE html><html><body><a href="/${WHEEL}">${WHEEL}</a></body></html>`);
    });
    indexes.push(started);
    await new Promise<void>((resolve) => started.listen(0, address, resolve));
    return `http://${address}:${(started.address() as AddressInfo).port}/simple`;
  }

  async function built(slug: string, requirements: string) {
    const source = join(folder, slug);
    await mkdir(source);
    await writeFile(join(source, 'main.py'), PROGRAM);
    await writeFile(join(source, 'requirements.txt'), requirements);
    const id = await hostedServer(server, slug);
    const path = `/organizations/default/servers/${slug}`;
    const { body } = await admin.post(`${path}/builds`, { source: { kind: 'folder', path: source }, deploy: true });
    await builds.begin();
    await builds.settled();
    const build = (await admin.get(`${path}/builds/${body.id}`)).body;
    const { items } = (await admin.get(`${path}/builds/${body.id}/logs`)).body;
    return { id, build, log: items.map(({ message }: { message: string }) => message).join('\n') as string };
  }

  test('packages are installed from an index, and the program can import them', async () => {
    const requirements = `--index-url ${await index('127.0.0.2')}\n--trusted-host 127.0.0.2\nsignalbox-greeting==1.0\n`;
    const { id, build, log } = await built('greeting', requirements);
    assert.equal(build.state, 'succeeded', log);
    const upstream = await server.server.hosting.upstreamOf(id);
    const { body } = await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'initialize' });
    assert.equal(body.result.text, 'from the index');
  });
});
