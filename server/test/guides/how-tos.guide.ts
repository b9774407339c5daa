/** Runs the commands of the guides, as they stand in the documents, each page against a server of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { prepareFastMcp } from '../fastmcp/client.ts';
import { ServerProcess } from '../prefect/server-process.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { allBlocks, blocksOf, fileOf, reasonNotToRun, SCRIPTS, type Script, scriptOf, UNRUN } from './blocks.ts';
import { folder, type Guide, Page, python } from './page.ts';

const skip = python === undefined ? 'Python with Prefect is not installed' : false;
const withoutSandbox = spawnSync('bwrap', ['--version']).status === 0 ? false : 'bubblewrap is not installed';

const signalbox = 'npm run -s signalbox --';
const administrator = `${signalbox} users create --email ada@example.com --role admin >/dev/null`;
const key = `$(${signalbox} keys create --user ada@example.com --descriptor guide)`;
const caller = `KEY=${key}
call() { curl -sS --fail-with-body -H "Authorization: Bearer $KEY" -H "content-type: application/json" "$@"; echo; }`;
const database = (url: string) => `SIGNALBOX_DATABASE_URL=${url}`;
/** The first id in the JSON that a command prints. */
const idOf = (list: string) => `$(${list} | grep -o '"id": *"[0-9a-f-]*"' | head -n 1 | cut -d '"' -f 4)`;
/** Where the registry of Python has certificates of its own, a build needs them too. */
const { PIP_CERT } = process.env;
const withCertificates = PIP_CERT
  ? `call -X PUT $API/servers/greeter/environment/PIP_CERT -d '{"value": "${PIP_CERT}", "sensitive": false}'\n`
  : '';

describe('the guides', { concurrency: 3, skip }, () => {
  let postgres: TestPostgres | undefined;
  const upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
      if (id === undefined) return response.writeHead(202).end();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method ?? ''] ?? {} }));
    });
  });

  before(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    postgres = await startPostgres();
  });
  after(async () => {
    upstream.close();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const guide = (
    page: Script,
    given: (of: Page) => Promise<Guide> | Guide,
    check: (output: string, of: Page) => Promise<void> | void,
    settings: Record<string, string> = {},
  ) =>
    test(page, { skip: (page === 'README' || page === 'hosting') && withoutSandbox }, async () => {
      const of = await Page.open(page, settings);
      try {
        await check(await of.run(scriptOf(page), await given(of)), of);
      } finally {
        await of.server.stop('SIGTERM');
      }
    });

  guide(
    'identity',
    () => ({
      prelude: `${signalbox} users create --email bob@example.com >/dev/null`,
      values: {
        'users password --email ada@example.com ':
          "users password --email ada@example.com <<< 'correct horse battery' ",
        '--id <id of the key>': `--id "${idOf(`${signalbox} keys list --json`)}"`,
      },
    }),
    (output) => {
      assert.match(output, /sbx_\w{49}/);
      assert.match(output, /PREFECT_API_URL=\S+\/api\/accounts\/default\/workspaces\/default\n/);
    },
  );

  const newDatabase = async () => (await postgres?.createDatabase()) ?? 'sqlite:$PWD/other.db';
  guide(
    'operating',
    async (of) => {
      const flow = await of.ask<{ id: string }>('/flows/', { name: 'daily' });
      const deployment = await of.ask<{ id: string }>('/deployments/', { name: 'daily', flow_id: flow.id });
      const api = `${of.server.url}/v0/organizations/default`;
      return {
        prelude: `${administrator}; ${caller}; WORKSPACE=${idOf(`call ${api}/workspaces`)}`,
        values: {
          // Each start has a home folder, and so an encryption key, of its own.
          [`SIGNALBOX_PROCESSES=auto ${database('postgres://user:password@db.example/signalbox')}`]: `SIGNALBOX_PROCESSES=auto ${database(await newDatabase())}`,
          'postgres://user:password@db.example/signalbox': await newDatabase(),
          'https://signalbox.example.com/api/v0/organizations/default/workspaces/<id>': `${api}/workspaces/$WORKSPACE`,
          '"deploymentId": "<id>"': `"deploymentId": "${deployment.id}"`,
          'curl -X PUT': 'curl -sS --fail-with-body -X PUT',
          '/backups': '$PWD/backups',
          '/new/home': '$PWD/new-home',
          '9464': String(await freePort()),
        },
      };
    },
    (output) => {
      assert.match(output, /# TYPE signalbox_/);
      assert.match(output, /mcp_request/);
      assert.match(output, /"eventSeconds": ?86400/);
    },
  );

  guide(
    'drills',
    async () => ({
      prelude: `${administrator}; ${signalbox} keys create --user ada@example.com --descriptor leaked; npm start`,
      values: {
        '<process id of the server>': '$(tail -n 1 "$STARTED")',
        '/backups': '$PWD/backups',
        '/tmp/drill': '$PWD/restored',
        '4300': String(await freePort()),
        '--id <id of the key>': `--id "${idOf(`${signalbox} keys list --json`)}"`,
      },
    }),
    (output) => assert.match(output, /ready\s[\s\S]*ready\s[\s\S]*ready\s/),
  );

  guide(
    'gateway',
    async () => ({
      prelude: administrator,
      values: {
        'KEY=sbx_…': `KEY=${key}`,
        'call() { curl -s ': 'call() { curl -sS --fail-with-body ',
        '"secret": "…"': '"secret": "s3cret"',
        '"X-Api-Key": "…"': '"X-Api-Key": "s3cret"',
        'https://mcp.example/mcp': `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`,
        '"manifestVersion": 3': `"manifestVersion": '"$(call $API/servers/docs/tool-approvals | grep -o '"manifestVersion": *[0-9]*' | grep -o '[0-9]*$')"'`,
        // A member without a role asks twice, so that one request is approved and one refused.
        'call $API/servers/docs/access-requests -d': `call $API/servers/docs -X PATCH -d '{"defaultRole": null}'
${signalbox} users create --email bob@example.com >/dev/null
BOB=$(${signalbox} keys create --user bob@example.com --descriptor guide)
KEY=$BOB call $API/servers/wiki/access-requests -d '{"reason": "For both."}'
KEY=$BOB call $API/servers/docs/access-requests -d`,
        '<id>': idOf('call "$API/access-requests?state=open"'),
        // Further servers that the page speaks of.
        'call -X PATCH $API/servers/docs -d': ['tickets', 'wiki']
          .map(
            (slug) =>
              `call $API/servers -d '{"slug": "${slug}", "name": "${slug}", "kind": "external", "external": {"url": "http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp"}}'`,
          )
          .concat('call -X PATCH $API/servers/docs -d')
          .join('\n'),
      },
    }),
    (output) => assert.match(output, /search_docs/),
  );

  guide(
    'hosting',
    (of) => ({
      prelude: `${administrator}
${caller}
API=http://127.0.0.1:4200/api/v0/organizations/default
mkdir ${of.folder}/greeter && cat > ${of.folder}/greeter/main.py <<'PYTHON'
${GREETER}PYTHON
`,
      values: { '/srv/greeter': `${of.folder}/greeter` },
    }),
    (output) => assert.match(output, /"state": *"(queued|building|succeeded)"/),
  );

  test('migrating', async () => {
    const source = await ServerProcess.start({
      kind: 'prefect',
      folder: join(folder, 'reference'),
      postgresUrl: undefined,
      python: python ?? '',
    });
    const page = await Page.open('migrating');
    try {
      const body = JSON.stringify({ name: 'brought-along' });
      await fetch(`${source.url}/flows/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const there = source.url.replace(/\/api$/, '');
      const here = page.server.url.replace(/\/api$/, '');
      const script = scriptOf('migrating')
        .replaceAll('http://127.0.0.1:4200', there)
        .replaceAll('http://127.0.0.1:4300', here);
      const output = await page.run(script, {});
      assert.match(output, /flows +1 +1 +0 +0/);
      const flows = await page.ask<{ name: string }[]>('/flows/filter', {});
      assert.deepEqual(
        flows.map(({ name }) => name),
        ['brought-along'],
      );
    } finally {
      await page.server.stop('SIGTERM');
      await source.stop('SIGTERM');
    }
  });

  test('webhooks-and-backfill', async () => {
    const page = await Page.open('webhooks-and-backfill');
    try {
      const textOf = (info: string) =>
        blocksOf('docs/webhooks-and-backfill.md').find((block) => block.info === info)?.text ?? '';
      const webhook = await page.ask<{ slug: string }>('/webhooks/', { name: 'github', template: textOf('jinja') });
      const push = { repository: { full_name: 'ada/engine' }, after: 'c0ffee' };
      const address = new URL(`/hooks/${webhook.slug}`, page.server.url);
      const headers = { 'content-type': 'application/json' };
      const sent = await fetch(address, { method: 'POST', headers, body: JSON.stringify(push) });
      assert.equal(sent.status, 204);
      const { events } = await page.ask<{ events: { payload: object; resource: object }[] }>('/events/filter', {
        filter: { event: { name: ['repository.push'] } },
      });
      assert.deepEqual(events[0]?.payload, { commit: 'c0ffee' });
      assert.deepEqual(events[0]?.resource, { 'prefect.resource.id': 'github.ada/engine' });

      const flow = await page.ask<{ id: string }>('/flows/', { name: 'daily' });
      const deployment = await page.ask<{ id: string }>('/deployments/', { name: 'daily', flow_id: flow.id });
      const output = await page.run(scriptOf('webhooks-and-backfill'), {
        prelude: `export PREFECT_API_URL=${page.server.url}
python - <<'PYTHON'
${textOf('python').replace('whsec_…', `whsec_${Buffer.alloc(32, 'k').toString('base64')}`)}PYTHON
`,
        values: {
          '"deployment_id": "…"': `"deployment_id": "${deployment.id}"`,
          'curl ': 'curl -sS --fail-with-body ',
        },
      });
      assert.match(output, /"count":30,/);
    } finally {
      await page.server.stop('SIGTERM');
    }
  });

  guide(
    'README',
    async (of) => ({
      values: {
        'python3 -m venv .venv\n.venv/bin/pip install prefect==3.9.1': `ln -s ${dirname(dirname(python ?? ''))} .venv`,
        'python3 -m venv .mcp && .mcp/bin/pip install -q fastmcp': `ln -s ${dirname(dirname(await prepareFastMcp(console.error)))} .mcp`,
        '/tmp/greeter': `${of.folder}/greeter`,
        'call $API/servers/greeter/builds -d': `${withCertificates}call $API/servers/greeter/builds -d`,
      },
    }),
    (output) => {
      assert.match(output, /Hello, Ada!/);
      assert.match(output, /Hello, Bob!/);
      assert.doesNotMatch(output.slice(output.indexOf('Hello, Bob!')), /shout/);
    },
    // The registry may be at an address that only the machine reaches.
    { SIGNALBOX_HOSTING_NETWORK: 'machine' },
  );

  test('every command of the documents runs in a test, or the list says why not', () => {
    const scripts = new Set(SCRIPTS.map(fileOf));
    for (const block of allBlocks()) {
      const { page, info, text } = block;
      if (info === 'bash run' || info.includes('file=')) continue;
      const runs = scripts.has(page) && info !== 'mermaid';
      assert.ok(runs || reasonNotToRun(block) !== undefined, `${page} shows a command that no test runs:\n${text}`);
    }
    for (const beginning of Object.keys(UNRUN)) {
      assert.ok(
        allBlocks().some(({ text }) => text.startsWith(beginning)),
        `no document shows ${beginning}`,
      );
    }
  });
});

/** An MCP server with one tool that needs no package. */
const GREETER = `import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer

RESULTS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "greeter", "version": "1"}},
    "tools/list": {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]},
}

class Greeter(BaseHTTPRequestHandler):
    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = {"jsonrpc": "2.0", "id": message.get("id"), "result": RESULTS.get(message["method"], {})}
        self.send_response(200 if "id" in message else 202)
        self.send_header("content-type", "application/json")
        self.end_headers()
        if "id" in message:
            self.wfile.write(json.dumps(answer).encode())

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Greeter).serve_forever()
`;

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
/** What the MCP servers of the pages answer, whatever they are asked. */
const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'docs', version: '1' },
  },
  'tools/list': { tools: [tool('search'), tool('read')] },
  'resources/list': { resources: [{ uri: 'docs://index', name: 'index' }] },
  'resources/templates/list': { resourceTemplates: [] },
};
