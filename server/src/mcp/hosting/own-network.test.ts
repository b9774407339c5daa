import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, deployCommand, hostedServer, makePrograms, type Programs } from '../../../test/support/hosted.ts';
import { person } from '../../../test/support/platform.ts';
import { databasesOfRun, startServer, type TestServer } from '../../../test/support/server.ts';
import { networksOf } from '../../network/networks.ts';
import { claimPort } from '../../outbound/own-endpoints.ts';
import { findBubblewrap } from './host/runner/bubblewrap.ts';

/** Runs the code that it receives and answers the result. */
const PROGRAM = `
import { createServer } from 'node:http';
import * as http from 'node:http';
import * as net from 'node:net';
import * as fs from 'node:fs';
import * as dns from 'node:dns/promises';
const AsyncFunction = (async () => {}).constructor;
const tunnel = (target) => new Promise((resolve) => {
  const request = http.request({ host: '127.0.0.1', port: 3128, method: 'CONNECT', path: target });
  request.on('connect', (answer, socket) => { socket.destroy(); resolve(answer.statusCode + ' ' + answer.statusMessage); });
  request.on('error', (error) => resolve(error.code));
  request.end();
});
const straight = (host, port) => new Promise((resolve) => {
  const socket = net.connect({ host, port }, () => { socket.destroy(); resolve('connected'); });
  socket.on('error', (error) => resolve(error.code));
});
const get = async (url, init) => {
  const answer = await fetch(url, init);
  return [answer.status, await answer.text()];
};
createServer((request, response) => {
  let body = '';
  request.on('data', (part) => { body += part; });
  request.on('end', async () => {
    if (request.url.startsWith('/elsewhere')) {
      return void response.writeHead(307, { location: process.env.ELSEWHERE }).end();
    }
    let answer;
    try {
      const code = JSON.parse(body || '{}').params?.code ?? '';
      const run = new AsyncFunction('fs', 'dns', 'tunnel', 'straight', 'get', code);
      answer = { result: (await run(fs, dns, tunnel, straight, get)) ?? null };
    } catch (error) { answer = { error: error.cause?.message ?? error.message }; }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const bubblewrap = findBubblewrap();
const problem = typeof bubblewrap === 'string' ? bubblewrap : bubblewrap.networkProblem;

function listen(address: string, listener: RequestListener): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer(listener);
    server.listen(0, address, () => resolve(server));
  });
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

for (const database of databasesOfRun) {
  describe(`the network of a program in a sandbox, on ${database}`, { skip: problem }, () => {
    let server: TestServer;
    let programs: Programs;
    let inside: Server;
    let allowed: Server;
    let id: string;
    before(async () => {
      const config = { hosting: 'sandbox', allowedPrivateNetworks: networksOf('127.0.0.2')! } as const;
      server = await startServer({ database, config });
      await person(server, 'ada@example.com', 'admin');
      programs = await makePrograms();
      inside = await listen('127.0.0.1', (_request, response) => response.end('the inside'));
      allowed = await listen('127.0.0.2', (request, response) => {
        let body = '';
        request.on('data', (part) => {
          body += part;
        });
        request.on('end', () => response.end(`${request.method} ${request.headers.host} ${body}`));
      });
      id = await hostedServer(server, 'one');
      await deployCommand(server, id, await programs.node('program', PROGRAM));
    });
    after(async () => {
      await server.stop();
      await programs.remove();
      inside.close();
      allowed.close();
    });

    async function run(code: string, serverId = id) {
      const upstream = await server.server.hosting.upstreamOf(serverId);
      const { body } = await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'run', params: { code } });
      assert.equal(body.error, undefined, code);
      return body.result;
    }

    test('the port of the program is unreachable from the machine', async () => {
      assert.equal(await run('return process.env.PORT'), '8000');
      const reached = await new Promise((resolve) => {
        const socket = connect(8000, '127.0.0.1');
        socket.once('connect', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
        socket.once('data', (data) => resolve(String(data)));
        socket.once('error', ({ message }) => resolve(message));
        socket.unref();
      });
      assert.doesNotMatch(String(reached), /"result":null/);
    });

    test('the program is reached through a socket that only this server can use, and that the program cannot see', async () => {
      const running = join(server.server.config.home, 'hosting', 'running');
      const sockets = readdirSync(running, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(running, name)).isSocket(),
      );
      assert.equal(sockets.length, 1);
      const [folder = ''] = sockets[0]!.split('/');
      assert.equal(statSync(join(running, folder)).mode & 0o777, 0o700);
      assert.equal(sockets[0]!.split('/').length, 2, 'the socket lies in no folder of the program');
      const listing = `return [fs.readdirSync('/tmp').filter((name) => !fs.statSync('/tmp/' + name).isDirectory()), fs.readdirSync('.'), fs.readdirSync(${JSON.stringify(join(running, folder))})]`;
      assert.deepEqual(await run(listing), [[], [], ['tmp', 'work']]);
    });

    test('the program inherits no open file of this server', async () => {
      const code = `return fs.readdirSync('/proc/self/fd').map((fd) => {
        try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return 'gone'; }
      })`;
      const open = (await run(code)) as string[];
      assert.deepEqual(
        open.filter((path) => path.startsWith('/') && !path.startsWith('/proc/') && path !== '/dev/null'),
        [],
      );
      assert.equal(await run('return process.env.NODE_CHANNEL_FD ?? process.send ?? null'), null);
    });

    test('without the proxy it reaches no address', async () => {
      for (const address of ['127.0.0.1', '127.0.0.2']) {
        const port = portOf(address === '127.0.0.1' ? inside : allowed);
        assert.equal(await run(`return straight('${address}', ${port})`), 'ECONNREFUSED');
      }
      assert.equal(await run(`return straight('93.184.215.14', 80)`), 'ENETUNREACH');
      assert.match(
        await run(`return dns.lookup('example.com').catch((error) => error.code)`),
        /^E(AI_AGAIN|NOTFOUND)$/,
      );
    });

    test('through the proxy it reaches the addresses that the operator allows, with and without CONNECT', async () => {
      const port = portOf(allowed);
      const url = `http://127.0.0.2:${port}/x`;
      const [status, body] = (await run(`return get('${url}', { method: 'POST', body: 'hello' })`)) as [number, string];
      assert.deepEqual([status, body], [200, `POST 127.0.0.2:${port} hello`]);
      const plain = `const http = await import('node:http');
        return new Promise((resolve) => http.get({ host: '127.0.0.1', port: 3128, path: '${url}', agent: false },
          async (answer) => { let text = ''; for await (const part of answer) text += part; resolve([answer.statusCode, text]); }))`;
      assert.deepEqual(await run(plain), [200, `GET 127.0.0.2:${port} `]);
    });

    test('it cannot reach this machine, this server, its database or metadata services', async () => {
      const own = portOf(allowed);
      const release = claimPort(own);
      try {
        assert.match(await run(`return tunnel('127.0.0.2:${own}')`), /^403 .*this server itself/);
      } finally {
        release();
      }
      const port = portOf(inside);
      const targets = [
        ...['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', '2130706433', '127.1'].map(
          (host) => `${host}:${port}`,
        ),
        ...['169.254.169.254:80', '10.0.0.1:80', '127.0.0.1:5432', '127.0.0.1:8000'],
      ];
      for (const target of targets) assert.match(await run(`return tunnel('${target}')`), /^403 /, target);
      const database = new URL(server.server.config.databaseUrl);
      if (database.protocol !== 'sqlite:') {
        assert.match(await run(`return tunnel('${database.hostname}:${database.port || 5432}')`), /^403 /);
      }
      for (const target of ['x', 'host', ':80', 'host:0x50', 'user@host:80', 'host:80/path']) {
        assert.match(
          await run(`return tunnel(${JSON.stringify(target)})`),
          /^(502|400|403) |^HPE|^ECONNRESET|^ERR/,
          target,
        );
      }
    });

    test('private targets are refused to a program even where all users may name them', async () => {
      const open = await startServer({ database, config: { hosting: 'sandbox', allowPrivateTargets: true } });
      try {
        await person(open, 'ada@example.com', 'admin');
        const other = await hostedServer(open, 'two');
        await deployCommand(open, other, await programs.node('two', PROGRAM));
        const upstream = await open.server.hosting.upstreamOf(other);
        const params = { code: `return tunnel('127.0.0.1:${portOf(inside)}')` };
        const { body } = await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'run', params });
        assert.match(body.result, /^403 .*this machine/);
      } finally {
        await open.stop();
      }
    });

    test("in the machine's network it listens on a free port, and has no proxy", async () => {
      const open = await startServer({ database, config: { hosting: 'sandbox', hostingNetwork: 'machine' } });
      try {
        const other = await hostedServer(open, 'two');
        await deployCommand(open, other, await programs.node('two', PROGRAM));
        const upstream = await open.server.hosting.upstreamOf(other);
        const params = {
          code: `return [await straight('127.0.0.1', ${portOf(inside)}), process.env.HTTP_PROXY ?? null]`,
        };
        const { body } = await ask(upstream, { jsonrpc: '2.0', id: 1, method: 'run', params });
        assert.deepEqual(body.result, ['connected', null]);
      } finally {
        await open.stop();
      }
    });

    test('this server does not follow a redirect of the program', async () => {
      const leading = await hostedServer(server, 'leading', { path: '/elsewhere' });
      const command = await programs.node(
        'leading',
        PROGRAM.replace('process.env.ELSEWHERE', `'http://127.0.0.1:${portOf(inside)}/'`),
      );
      await deployCommand(server, leading, command);
      const answer = await ask(await server.server.hosting.upstreamOf(leading), { jsonrpc: '2.0', id: 1, method: 'x' });
      assert.equal(answer.status, 307);
      assert.doesNotMatch(answer.text, /the inside/);
    });
  });
}
