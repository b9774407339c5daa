import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startServer } from '../../../test/support/server.ts';
import { beginSignIn, prepareClient } from './authorization-server.ts';

const DOCUMENT = 'https://gateway.example/connect/client.json';
const REDIRECT = 'https://gateway.example/connect/callback';
const policy = { allowPrivate: true };

describe('the gateway as a client of an authorization server', () => {
  let server: Server;
  let issuer: string;
  let readsDocuments = true;
  let registrations = 0;

  before(async () => {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.method === 'POST') {
        registrations += 1;
        response.writeHead(201).end(JSON.stringify({ client_id: 'registered' }));
        return;
      }
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        ...(readsDocuments && { client_id_metadata_document_supported: true }),
      };
      response.end(JSON.stringify(metadata));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const clientIdWith = async (documentUrl: string | undefined, clientId: string | null = null) => {
    const signIn = { kind: 'oauth', authorizationServer: issuer, clientId, scope: null } as const;
    const question = { url: null, signIn, clientSecret: null, redirectUri: REDIRECT, documentUrl };
    const { location } = await beginSignIn(await prepareClient(question, policy), policy);
    return new URL(location).searchParams.get('client_id');
  };

  test('is known by its document where the server reads such documents, and registers nothing', async () => {
    assert.equal(await clientIdWith(DOCUMENT), DOCUMENT);
    assert.equal(registrations, 0);
  });

  test('is known by the id that an administrator has entered', async () => {
    assert.equal(await clientIdWith(DOCUMENT, 'entered'), 'entered');
  });

  test('registers where it has no lasting address, and where the server reads no documents', async () => {
    assert.equal(await clientIdWith(undefined), 'registered');
    readsDocuments = false;
    assert.equal(await clientIdWith(DOCUMENT), 'registered');
    assert.equal(registrations, 2);
  });
});

test('the document describes the gateway at its https address', async () => {
  const server = await startServer({ config: { publicUrl: 'https://gateway.example' } });
  try {
    const { status, body, headers } = await server.request('GET', '/connect/client.json', undefined, {
      host: 'gateway.example',
    });
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^application\/json/);
    assert.deepEqual(body, {
      client_id: DOCUMENT,
      client_name: 'Signalbox',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    });
  } finally {
    await server.stop();
  }
});

test('a gateway without a lasting https address has no document', async () => {
  const server = await startServer();
  try {
    const { status, text } = await server.request('GET', '/connect/client.json');
    assert.equal(status, 404);
    assert.match(text, /SIGNALBOX_PUBLIC_URL/);
  } finally {
    await server.stop();
  }
});
