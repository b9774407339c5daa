import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Server } from '../queries.ts';
import {
  connectionFormOf,
  credentialKinds,
  credentialOf,
  emptyConnection,
  keepsCredential,
  withoutSecrets,
} from './connection-form.ts';

type External = NonNullable<Server['external']>;

const external = (credential: External['credential']): External => ({
  url: 'https://example.org/mcp',
  credential,
  answerSeconds: 30,
});
const stored: readonly External[] = [
  external({ kind: 'bearer' }),
  external({ kind: 'header', name: 'X-Key' }),
  external({ kind: 'headers', headers: [{ name: 'X-App' }, { name: 'X-Key' }] }),
  external({ kind: 'client_credentials', tokenUrl: 'https://example.org/token', clientId: 'signalbox', scope: null }),
];

describe('the form of a connection', () => {
  test('shows a stored credential without its secret, and keeps it when it is saved unchanged', () => {
    for (const one of stored) {
      const form = connectionFormOf(one);
      assert.equal(form.credential, one.credential.kind);
      assert.equal([form.secret, ...form.headers.map(({ secret }) => secret)].join(''), '');
      assert.equal(keepsCredential(form, one), true, one.credential.kind);
    }
  });

  test('replaces the credential when any part of it has changed', () => {
    const [bearer, header, headers, oauth] = stored as [External, External, External, External];
    assert.equal(keepsCredential({ ...connectionFormOf(bearer), secret: 'new' }, bearer), false);
    assert.equal(keepsCredential({ ...connectionFormOf(header), name: 'X-Other' }, header), false);
    assert.equal(
      keepsCredential({ ...connectionFormOf(headers), headers: [{ name: 'X-App', secret: '' }] }, headers),
      false,
    );
    assert.equal(keepsCredential({ ...connectionFormOf(oauth), scope: 'read' }, oauth), false);
    assert.equal(keepsCredential({ ...connectionFormOf(bearer), credential: 'header' }, bearer), false);
  });

  test('keeps nothing of a new server or of a connection without a credential', () => {
    const none = external({ kind: 'none' });
    assert.equal(keepsCredential(connectionFormOf(none), none), false);
    assert.equal(keepsCredential({ ...emptyConnection, credential: 'bearer' }, null), false);
  });

  test('changes its address without changing its credential', () => {
    const [bearer] = stored as [External];
    assert.equal(keepsCredential({ ...connectionFormOf(bearer), url: 'https://example.org/other' }, bearer), true);
  });

  test('sends of each kind only what belongs to it', () => {
    const form = { ...emptyConnection, secret: 's', tokenUrl: 't', clientId: 'c', scope: '' };
    const sent = credentialKinds.map(([kind]) => Object.keys(credentialOf({ ...form, credential: kind })).join(' '));
    assert.deepEqual(sent, [
      'kind',
      'kind secret',
      'kind name secret',
      'kind headers',
      'kind tokenUrl clientId scope secret',
    ]);
    assert.deepEqual(credentialOf({ ...form, credential: 'client_credentials' }), {
      kind: 'client_credentials',
      tokenUrl: 't',
      clientId: 'c',
      scope: null,
      secret: 's',
    });
  });

  test('forgets what was typed once it is stored, and keeps the names of headers', () => {
    const form = { ...emptyConnection, secret: 'hush', headers: [{ name: 'X-App', secret: 'hush' }] };
    assert.equal(JSON.stringify(withoutSecrets(form)).includes('hush'), false);
    assert.deepEqual(withoutSecrets(form).headers, [{ name: 'X-App', secret: '' }]);
  });
});
