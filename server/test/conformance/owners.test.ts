/**
 * No promise and no listener without an owner. `noFloatingPromises` accepts `void` in front of a call, and sees no
 * listener; so here `void` is refused, and a listener is guarded (see `server/src/watching/background.ts`), too small to fail, or
 * an exception with a reason.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const repository = join(import.meta.dirname, '../../..');
const files = globSync('server/src/**/*.ts', { cwd: repository }).filter((file) => !file.endsWith('.test.ts'));

/** `void` in front of a call. As a type it stands before other characters. */
const DISCARDED = /\bvoid\s+(?:await\s|new\s|\(|[\w$#.?![\]]+\()[^\n]*/g;
/** A listener of an event, or a timer, with the beginning of what it calls. Names of SQL have a dot. */
const LISTENER =
  /\.(?:on|once|addListener|addEventListener)\(\s*'(\w+)',\s*([^;]{0,160})|\b(setInterval|setTimeout|setImmediate|queueMicrotask)\(\s*([^;]{0,160})/g;
/** Calls of Node, and assignments, that do not throw. */
const SMALL =
  /^(?:\(\w*\) =>|\(_error, \w+\) =>) (?:\{\}|(?:this\.|answer\.)?#?(?:\w+\.)*(?:resolve|destroy|destroySoon|terminate|resume|clear|abort|delete|disconnect|kill)\([^()]*\)|resolve\([^()]*\)|reject\([^()]*\)|clearTimeout\([\w.#]+\))[,)]/;

/** A guarded listener, or one that only begins work with an owner. */
const OWNED =
  /^(?:guarded\(|resolve\b|\([^()]*\) =>\s*(?:\{\s*(?:if \([^()]*\) )?)?(?:inBackground|this\.#\w+InBackground)\()/;

/** Listeners that are not guarded, by file and event, under the reason. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'a command or a process of its own, which ends with its own work': [
    'commands/progress.ts setInterval',
    'commands/server.ts setTimeout',
    'database/copies/postgres.ts data',
    'database/sqlite/checkpoint-thread.ts message',
    'database/sqlite/read-process.ts message',
    'process/serving.ts setTimeout',
    'supervisor/supervisor-process.ts exit',
    'process/doctor/addresses.ts open',
    'process/doctor/peers.ts error',
    'process/doctor/peers.ts secureConnect',
    'process/doctor/peers.ts timeout',
  ],
  'runs in a page': ['http/documents/docs.ts change'],
  'settles a promise, whose owner gets the error': [
    'database/sqlite/checkpoints.ts error',
    'database/sqlite/checkpoints.ts exit',
    'database/sqlite/read-pool.ts abort',
    'database/sqlite/read-pool.ts setTimeout',
    'database/write-probe.ts setTimeout',
    'http/answer/sent-answers.ts abort',
    'mcp/hosting/boundary/start-host.ts error',
    'mcp/hosting/boundary/keeper.ts setTimeout',
    'mcp/hosting/host/instances/free-port.ts error',
    'mcp/hosting/host/instances/trial.ts setTimeout',
    'mcp/hosting/host/runner/process-runner.ts error',
    'mcp/hosting/sharing/shared-programs.ts error',
    'mcp/remix/calls/list-call.ts setTimeout',
    'peers/peer-address.ts error',
    'mcp/upstream/ask.ts abort',
    'mcp/upstream/ask.ts setTimeout',
    'process/metrics/endpoint.ts error',
    'supervisor/serving-process.ts setTimeout',
    'supervisor/supervisor.ts error',
    'fairness/receive-body.ts data',
    'fairness/receive-body.ts setTimeout',
    'fairness/gate.ts abort',
    'fairness/turns.ts setImmediate',
  ],
  'catches its own errors, or begins only work with an owner': [
    'database/postgres/store.ts abort',
    'database/shared-clock.ts setInterval',
    'http/sockets/socket-session.ts message',
    'http/sockets/websocket.ts close',
    'http/sockets/websocket.ts upgrade',
    'mcp/gateway/arrive/server-access.ts setImmediate',
    'mcp/upstream/http-upstream.ts queueMicrotask',
    'network/at-close.ts close',
    'watching/logger.ts drain',
  ],
  'writes a line of the log': [
    'watching/event-loop-watch.ts setInterval',
    'watching/outage-lines.ts setTimeout',
    'platform/oauth/provider.ts error',
    'platform/oauth/provider.ts server_error',
    'watching/unowned-faults.ts uncaughtException',
    'watching/unowned-faults.ts unhandledRejection',
  ],
  'only sets, counts, ends a stream or signals a process': [
    'database/postgres/pool.ts connect',
    'database/postgres/pool.ts setTimeout',
    'http/sockets/socket-session.ts pong',
    'http/sockets/socket-session.ts setTimeout',
    'mcp/hosting/host/network/way-out.ts error',
    'mcp/hosting/host/network/way-out.ts setTimeout',
    'mcp/hosting/host/output/throttle.ts data',
    'mcp/hosting/host/runner/process-runner.ts setTimeout',
    'mcp/hosting/host/stdio/stdio-instance.ts setTimeout',
    'fairness/connections.ts close',
    'fairness/receive-body.ts prefinish',
    'process/process.ts setTimeout',
  ],
};

function discardedIn(text: string): string[] {
  return [...text.matchAll(DISCARDED)].map(([found]) => found);
}

function unguardedIn(text: string): string[] {
  return [...text.matchAll(LISTENER)].flatMap(([, event, called, timer, timed]) => {
    const call = called ?? timed ?? '';
    const name = /^(?:this\.)?(#?\w+)[,)]/.exec(call)?.[1];
    const isNamed = name !== undefined && text.includes(`${name} = guarded(`);
    return isNamed || OWNED.test(call) || SMALL.test(call) ? [] : [event ?? timer ?? ''];
  });
}

function textOf(file: string): string {
  // Comments may speak of either.
  return readFileSync(join(repository, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, '');
}

describe('work of the server', () => {
  test('is not discarded with void', () => {
    assert.ok(files.length > 0);
    assert.deepEqual(
      files.flatMap((file) => discardedIn(textOf(file)).map((found) => `${file}: ${found}`)),
      [],
    );
  });

  test('that a listener or a timer begins has an owner', () => {
    const found = files.flatMap((file) => unguardedIn(textOf(file)).map((event) => `${file.slice(11)} ${event}`));
    assert.deepEqual([...new Set(found)].sort(), Object.values(EXCEPTIONS).flat().sort());
  });
});

describe('what has no owner is found', () => {
  for (const text of [
    'void this.stop();',
    'if (late) void end?.close();',
    'void (async () => {})();',
    '() => void look(),',
  ]) {
    test(text, () => assert.equal(discardedIn(text).length, 1));
  }
  for (const text of [
    "socket.on('data', (chunk) => parse(chunk));",
    "child.once(\n  'exit',\n  () => {\n    release();\n  },\n);",
    'setInterval(() => this.#look(), 100);',
    'queueMicrotask(() => sink.fail(error));',
  ]) {
    test(text, () => assert.equal(unguardedIn(text).length, 1));
  }
  test('and types, small listeners and guarded ones are not', () => {
    assert.deepEqual(
      discardedIn('end(): void;\nconst end: () => void = () => {};\ntype End = void | Promise<void>;'),
      [],
    );
    for (const text of [
      "socket.on('error', () => {});",
      "join.on('api_key.owner_type', '=', 'user');",
      "socket.on('data', guarded('a part', (chunk) => parse(chunk)));",
      'setTimeout(() => socket.destroy(), milliseconds);',
      "child.once('exit', () => resolve(undefined));",
    ]) {
      assert.deepEqual(unguardedIn(text), [], text);
    }
  });
});
