/**
 * An official TypeScript client that knows the address of a server and nothing else: `sign_in.mjs <v1|v2> <url>`. Prints
 * the page to open in a browser, waits for the browser to come back, and calls a tool.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [generation, address] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  generation === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      }
    : await import('@modelcontextprotocol/client');

const returned = Promise.withResolvers();
const listener = createServer((request, response) => {
  response.end('done');
  returned.resolve(new URL(request.url, 'http://127.0.0.1').searchParams);
});
await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

const state = randomUUID();
const kept = {};
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: `TypeScript ${generation}`, redirect_uris: [redirectUrl] },
  state: () => state,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => {
    kept.client = client;
  },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => {
    kept.tokens = tokens;
  },
  redirectToAuthorization: (url) => console.log(`open ${url}`),
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
};
const connect = async () => {
  const client = new Client({ name: 'typescript', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
  return {
    client,
    transport,
    connected: await client.connect(transport).then(
      () => true,
      (error) => error,
    ),
  };
};

const first = await connect();
assert.equal(first.connected.constructor.name, 'UnauthorizedError', String(first.connected));
const back = await returned.promise;
assert.equal(back.get('state'), state);
await (generation === 'v1' ? first.transport.finishAuth(back.get('code')) : first.transport.finishAuth(back));
const { client, connected } = await connect();
assert.equal(connected, true);
assert.match((await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).content[0].text, /hi/);
console.log('called echo');
await client.close();
listener.closeAllConnections();
listener.close();
