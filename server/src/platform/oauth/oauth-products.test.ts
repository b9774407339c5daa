/** Clients that behave as the common products do; each needs only the address of a server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callTool, send, servingUrl, startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { fetchOnce, OAuthClient, Visitor } from '../../../test/support/oauth-client.ts';
import { joinByInvitation } from '../../../test/support/platform.ts';
import { startWatchedUpstream } from '../../../test/support/watched-upstream.ts';
import { problemOfClient } from './client-metadata.ts';
import { metadataFetch } from './metadata-fetch.ts';

const email = 'bob@example.com';
const password = 'correct horse battery';

interface Product {
  readonly name: string;
  /** The addresses that it registers. */
  readonly registered: readonly string[];
  /** The address that a sign-in asks for. */
  readonly used: string;
  readonly metadata?: Record<string, unknown>;
  /** What the consent page says about where it returns to. */
  readonly shown: string;
}

const products: readonly Product[] = [
  {
    name: 'claude.ai and Claude Desktop',
    registered: ['https://claude.ai/api/mcp/auth_callback'],
    used: 'https://claude.ai/api/mcp/auth_callback',
    metadata: { client_name: 'Claude', client_uri: 'https://claude.ai' },
    shown: 'claude.ai',
  },
  {
    name: 'claude.com',
    registered: ['https://claude.com/api/mcp/auth_callback'],
    used: 'https://claude.com/api/mcp/auth_callback',
    shown: 'claude.com',
  },
  {
    name: 'ChatGPT',
    registered: ['https://chatgpt.com/connector_platform_oauth_redirect'],
    used: 'https://chatgpt.com/connector_platform_oauth_redirect',
    metadata: { token_endpoint_auth_method: 'client_secret_post' },
    shown: 'chatgpt.com',
  },
  {
    name: 'Claude Code, whose port varies',
    registered: ['http://localhost:54545/callback'],
    used: 'http://localhost:61123/callback',
    shown: 'a program on this computer',
  },
  {
    name: 'Cursor on a port',
    registered: ['http://localhost:8787/callback', 'cursor://anysphere.cursor-mcp/oauth/callback'],
    used: 'http://localhost:8787/callback',
    shown: 'a program on this computer',
  },
  {
    name: 'Cursor by its scheme',
    registered: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    used: 'cursor://anysphere.cursor-mcp/oauth/callback',
    shown: 'cursor://',
  },
  {
    name: 'VS Code on the loopback address',
    registered: ['http://127.0.0.1/', 'http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    used: 'http://127.0.0.1:50231/',
    metadata: { application_type: 'native' },
    shown: 'a program on this computer',
  },
  {
    name: 'VS Code by its site',
    registered: ['http://127.0.0.1/', 'https://vscode.dev/redirect'],
    used: 'https://vscode.dev/redirect',
    shown: 'vscode.dev',
  },
];

describe('the common MCP clients', () => {
  let gateway: TestGateway;
  let bob: Visitor;
  before(async () => {
    gateway = await startGateway({ config: { apiAuth: 'key' } });
    await gateway.register('docs');
    await joinByInvitation(gateway.server, gateway.admin, email, password);
    bob = new Visitor();
    await bob.signIn(gateway.origin, email, password);
  });
  after(() => gateway.stop());

  for (const { name, registered, used, metadata, shown } of products) {
    test(`${name} signs in and calls a tool`, async () => {
      const resource = gateway.origin + servingUrl('docs');
      const client = new OAuthClient({ origin: gateway.origin, resource, redirectUri: used });
      const answer = await client.register({ redirect_uris: registered, ...metadata });
      assert.equal(answer.status, 201, answer.text);
      const { address, page } = await client.begin(bob, {
        prompt: 'consent',
        scope: 'mcp:read mcp:call offline_access',
      });
      assert.ok(page.text.includes(shown), page.text);
      const back = await client.decide(bob, address);
      assert.equal(back.href.split('?')[0], used);
      const tokens = (await client.exchange(back.searchParams.get('code') ?? '')).body;
      const called = await send(gateway, 'docs', callTool('search'), { key: tokens.access_token });
      assert.equal(called.status, 200, called.text);
      assert.equal((await client.refresh(tokens.refresh_token)).status, 200);
    });
  }

  test('an inspector in a page of another origin reads the metadata and asks for tokens', async () => {
    const headers = { origin: 'https://inspector.example' };
    const asking = { ...headers, 'access-control-request-method': 'POST' };
    const preflight = await fetchOnce(`${gateway.origin}/oauth/token`, { method: 'OPTIONS', headers: asking });
    assert.equal(preflight.status, 204);
    const paths = [
      'oauth-authorization-server',
      'openid-configuration',
      `oauth-protected-resource${servingUrl('docs')}`,
    ];
    for (const path of paths) {
      const answer = await fetchOnce(`${gateway.origin}/.well-known/${path}`, { headers });
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', path);
    }
  });

  test('the metadata is also found below the address of the server', async () => {
    const address = gateway.origin + servingUrl('docs');
    const { body } = await fetchOnce(`${address}/.well-known/oauth-protected-resource`);
    assert.equal(body.resource, address);
  });
});

test('a metadata document becomes a client that this server supports, and private targets are guarded', async () => {
  const target = await startWatchedUpstream();
  target.answerWith((_request, response) => {
    const document = {
      client_id: target.url,
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/aip/callback', 'http://localhost:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      token_endpoint_auth_method: 'client_secret_basic',
    };
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=600' });
    response.end(JSON.stringify(document));
  });
  try {
    const answer = await metadataFetch({ current: async () => ({ allowPrivate: true }) })(target.url);
    const document = (await answer.json()) as Record<string, unknown>;
    assert.equal(problemOfClient(document), undefined);
    assert.equal(document['token_endpoint_auth_method'], 'none');
    assert.equal(document['application_type'], 'native');
    assert.equal(answer.headers.get('cache-control'), 'max-age=600');
    const elsewhere = await metadataFetch({ current: async () => ({ allowPrivate: true }) })(`${target.url}?other`);
    const unchanged = (await elsewhere.json()) as Record<string, unknown>;
    assert.equal(unchanged['client_id'], target.url, 'a document about another address is not taken for this one');
    assert.equal(unchanged['token_endpoint_auth_method'], 'client_secret_basic');
    const guarded = metadataFetch({ current: async () => ({ allowPrivate: false }) });
    await assert.rejects(guarded(target.url), /nothing is sent/);
  } finally {
    await target.stop();
  }
});
