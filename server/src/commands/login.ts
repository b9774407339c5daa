import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { ConfigError } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';
import { type Command, needed, print, table } from './command.ts';
import { contextsFile, neededContext, readContexts, writeContexts } from './contexts.ts';
import { ServerApi, serverAddress } from './server-api.ts';

export const contextCommands: readonly Command[] = [
  {
    words: 'login',
    says: 'Store the address of a running server and an API key, read from standard input, as a context. Later commands use it.',
    flags: ['url', 'name?'],
    json: true,
    async run(flags, json) {
      const url = serverAddress(needed(flags, 'url'));
      const { name = new URL(url).host } = flags;
      const key = await readSecret('API key, then Enter:');
      if (key === '') throw new ConfigError('Give the API key on standard input.');
      const who = await callerOf(new ServerApi({ url, key }));
      const { servers } = readContexts();
      writeContexts({ current: name, servers: { ...servers, [name]: { url, key } } });
      print(json, { name, url, ...who }, `Logged in to ${url} as ${who.caller}. The key is in ${contextsFile()}.`);
      return 0;
    },
  },
  {
    words: 'logout',
    says: 'Forget a context and its key. The key itself stays valid until it is revoked.',
    flags: ['context?'],
    json: true,
    run(flags, json) {
      const { name } = neededContext(flags.context);
      const { current, servers } = readContexts();
      const left = Object.fromEntries(Object.entries(servers).filter(([other]) => other !== name));
      writeContexts({ current: current === name ? undefined : current, servers: left });
      print(json, { name }, `Forgot the context ${name}.`);
      return 0;
    },
  },
  {
    words: 'context list',
    says: 'List the servers that you logged in to. Their keys are not shown.',
    flags: [],
    json: true,
    run(_flags, json) {
      const { current, servers } = readContexts();
      const all = Object.entries(servers).map(([name, { url }]) => ({ name, url, isCurrent: name === current }));
      const rows = all.map(({ name, url, isCurrent }) => [isCurrent ? '*' : '', name, url]);
      print(json, all, table(['', 'NAME', 'ADDRESS'], rows));
      return 0;
    },
  },
  {
    words: 'context use',
    says: 'Choose the context that commands use without --context.',
    flags: ['name'],
    json: true,
    run(flags, json) {
      const { name, url } = neededContext(needed(flags, 'name'));
      writeContexts({ ...readContexts(), current: name });
      print(json, { name, url }, `Commands use ${name} now (${url}).`);
      return 0;
    },
  },
  {
    words: 'whoami',
    says: 'Print the owner of the key of a context.',
    flags: ['context?'],
    json: true,
    async run(flags, json) {
      const { name, ...server } = neededContext(flags.context);
      const who = await callerOf(new ServerApi(server));
      print(json, { name, url: server.url, ...who }, `${who.caller} (${who.kind}) at ${server.url}`);
      return 0;
    },
  },
  {
    words: 'api',
    says: 'Call the API of a running server with the key of a context, and print the answer. A path is below /api/v0, or begins with /api/. --body - reads the body from standard input.',
    flags: ['path', 'method?', 'body?', 'context?'],
    choices: { method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    json: true,
    async run(flags) {
      const path = needed(flags, 'path', ', such as /me/organizations');
      if (!path.startsWith('/')) throw new ConfigError('--path begins with a slash.');
      const { body } = flags;
      const { method = body === undefined ? 'GET' : 'POST' } = flags;
      const text = body === '-' ? (await process.stdin.toArray()).map(String).join('') : body;
      const answer = await new ServerApi(neededContext(flags.context)).call(method, path, text);
      if (answer !== undefined) console.log(JSON.stringify(answer, undefined, 2));
      return 0;
    },
  },
];

async function callerOf(server: ServerApi): Promise<{ kind: string; caller: string }> {
  const me = await server.call('GET', '/me');
  for (const [kind, field, name] of [
    ['person', 'user', 'email'],
    ['service account', 'serviceAccount', 'name'],
  ] as const) {
    const found = isJsonObject(me) ? me[field] : undefined;
    if (isJsonObject(found)) return { kind, caller: String(found[name]) };
  }
  throw new ConfigError('The server did not identify the caller, so it is not the API of Signalbox.');
}

/** Reads the first line of standard input without showing it on the terminal. */
async function readSecret(asks: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write(`${asks} `);
  const hidden = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: hidden, terminal: stdin.isTTY === true });
  const { value = '' } = (await lines[Symbol.asyncIterator]().next()) as { value?: string };
  lines.close();
  if (stdin.isTTY) stderr.write('\n');
  return value.trim();
}
