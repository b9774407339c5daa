/** Runs the commands of the quick starts, as they stand in the documents, against one fresh server. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ServerProcess } from '../prefect/server-process.ts';
import { program } from '../support/bundle.ts';
import { findPython, runProgram } from './client.ts';

const repository = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'signalbox-quickstarts-'));
const python = await findPython();

describe('the quick starts', { concurrency: true }, () => {
  let server: ServerProcess;
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
    server = await ServerProcess.start({ kind: 'signalbox', folder, postgresUrl: undefined, python: '' });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const npm = `#!/bin/sh\n[ "$1 $2 $3 $4" = "run -s signalbox --" ] || exit 9\nshift 4\nexec "${process.execPath}" "${program}" "$@"\n`;
    writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
  });
  after(async () => {
    upstream.close();
    await server?.stop('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  const run = (page: string) => {
    const script = blocksOf(page)
      .replaceAll('http://127.0.0.1:4200', new URL(server.url).origin)
      .replaceAll('https://mcp.example/mcp', `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`);
    return runProgram('bash', ['-euo', 'pipefail', '-c', script], python ?? '', folder, {
      PATH: [folder, dirname(python ?? ''), process.env['PATH']].join(delimiter),
      // The client cuts its tables at the width of the terminal.
      COLUMNS: '200',
      SIGNALBOX_HOME: join(folder, 'home'),
      SIGNALBOX_DATABASE_URL: `sqlite:${join(folder, 'signalbox.db')}`,
    });
  };

  const skip = python === undefined ? 'Python with Prefect is not installed' : false;
  test('run flows: in the terminal, and by a worker', { skip }, async () => {
    const output = await run('quickstart-prefect');
    for (const line of [/Hello, Ada!/, /Hello, Grace!/, /COMPLETED/]) assert.match(output, line);
    // The log of the run that the worker started.
    const answer = await fetch(`${server.url}/logs/filter`, { method: 'POST' });
    assert.match(await answer.text(), /Hello, Alan!/);
  });

  test('put MCP servers behind the gateway: a policy hides a tool and refuses calls to it', async () => {
    const output = await run('quickstart-mcp');
    assert.match(output, /"tools":\[\{"name":"search_pages"[^\]]*\]/);
    assert.match(output, /found it/);
    assert.doesNotMatch(output, /deleted/);
    assert.match(output, /"decision":"denied"/);
  });

  test('give an agent the orchestration: it sees the tools of its role', async () => {
    const output = await run('quickstart-agents');
    assert.match(output, /"name":"why_did_this_run_fail"/);
    assert.doesNotMatch(output, /"name":"cancel_flow_run"/);
    assert.match(output, /structuredContent/);
  });
});

/** The blocks that begin with ```bash run. */
function blocksOf(page: string): string {
  const text = readFileSync(join(repository, 'docs', `${page}.md`), 'utf8');
  const blocks = [...text.matchAll(/^```bash run\n(.*?)^```$/gms)].map(([, block]) => block);
  assert.ok(blocks.length > 1, page);
  return blocks.join('');
}

const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } });
/** What the MCP server of the page answers, whatever it is asked. */
const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'docs', version: '1' },
  },
  'tools/list': { tools: [tool('search_pages'), tool('delete_page')] },
  'tools/call': { content: [{ type: 'text', text: 'found it' }] },
};
