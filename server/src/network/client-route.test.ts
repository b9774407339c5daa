import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { startGateway } from '../../test/support/gateway.ts';
import { person } from '../../test/support/platform.ts';
import { startServer } from '../../test/support/server.ts';
import { readConfig } from '../config.ts';
import { clientNetwork, customerNetwork, plainAddress } from './addresses.ts';
import { clientRouteOf } from './client-route.ts';
import { isLoopback } from './networks.ts';
import { TrustedProxies } from './trusted-proxies.ts';

function routeOf(networks: string, peer: string, headers: Record<string, string> = {}) {
  const trusted = new TrustedProxies(networks === '' ? [] : networks.split(','));
  const request = { headers: { host: 'inner:4200', ...headers }, socket: { remoteAddress: peer } };
  return clientRouteOf(trusted, request as unknown as IncomingMessage);
}

describe('the address of a client behind proxies', () => {
  const forged = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-prefix': '/evil',
  };

  test('headers count only from a trusted proxy, also on this machine', () => {
    for (const [networks, peer] of [
      ['', '127.0.0.1'],
      ['10.0.0.0/8', '127.0.0.1'],
      ['10.0.0.0/8', '11.0.0.1'],
      ['fd00::/8', 'fe80::1'],
      ['10.0.0.0/8', ''],
    ] as const) {
      const route = routeOf(networks, peer, forged);
      assert.deepEqual(route, { address: peer, scheme: 'http', host: 'inner:4200', prefix: '' });
    }
  });

  test('a trusted proxy is recognized by IPv4, IPv6 and IPv4-mapped IPv6 addresses', () => {
    for (const [networks, peer] of [
      ['10.0.0.0/8', '10.1.2.3'],
      ['10.0.0.0/8', '::ffff:10.1.2.3'],
      ['fd00::/8', 'fd12::7'],
      ['::1', '::1'],
      ['192.0.2.1,127.0.0.1', '127.0.0.1'],
    ] as const) {
      assert.deepEqual(routeOf(networks, peer, forged), {
        address: '203.0.113.9',
        scheme: 'https',
        host: 'evil.example',
        prefix: '/evil',
      });
    }
  });

  test('an address has one form, and one network, whatever its spelling', () => {
    for (const spelling of ['::ffff:10.0.0.5', '::ffff:a00:5', '0:0:0:0:0:FFFF:a00:5', '10.0.0.5']) {
      assert.equal(plainAddress(spelling), '10.0.0.5');
      assert.equal(customerNetwork(plainAddress(spelling)), '10.0.0.0/24');
      for (const list of ['10.0.0.5', '::ffff:10.0.0.0/120']) {
        assert.ok(new TrustedProxies([list]).includes(plainAddress(spelling)), `${list} ${spelling}`);
      }
    }
    for (const spelling of ['2001:DB8:7:0:0:0:0:1', '2001:db8:7::1', '2001:0db8:0007::0001']) {
      assert.equal(plainAddress(spelling), '2001:db8:7::1');
      assert.equal(customerNetwork(spelling), '2001:db8:7::/48');
      assert.equal(clientNetwork(spelling), '2001:db8:7:0::/64');
    }
    for (const loopback of ['::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '127.1.2.3']) assert.ok(isLoopback(loopback));
    assert.ok(!isLoopback('::ffff:10.0.0.1'));
  });

  test('entries that the client wrote before the proxies are ignored', () => {
    const route = routeOf('10.0.0.0/8', '10.0.0.1', {
      'x-forwarded-for': '127.0.0.1, 198.51.100.7, 10.0.0.2',
      'x-forwarded-proto': 'http, https, http',
      'x-forwarded-host': 'evil.example, flows.example, inner',
    });
    assert.deepEqual(route, { address: '198.51.100.7', scheme: 'https', host: 'flows.example', prefix: '' });
  });

  test('an entry may have a port, and an invalid entry ends the chain', () => {
    const addressOf = (said: string) => routeOf('10.0.0.1', '10.0.0.1', { 'x-forwarded-for': said }).address;
    assert.equal(addressOf('198.51.100.7:5123'), '198.51.100.7');
    assert.equal(addressOf('[2001:db8::7]:5123'), '2001:db8::7');
    assert.equal(addressOf('::ffff:198.51.100.7'), '198.51.100.7');
    for (const nothing of ['unknown', '_hidden', '1.2.3', '<script>', '', ',,,']) {
      assert.equal(
        addressOf(`198.51.100.7, ${nothing}`),
        nothing.replaceAll(',', '') === '' ? '198.51.100.7' : '10.0.0.1',
      );
    }
  });

  test('an invalid host or path is ignored', () => {
    for (const host of ['a b', 'a/b', 'a@b', '"x"']) {
      assert.equal(routeOf('10.0.0.1', '10.0.0.1', { 'x-forwarded-host': host }).host, 'inner:4200', host);
    }
    for (const prefix of ['//evil.example', 'evil', '/a b', '/a"b', '/a/../b?', '/']) {
      assert.equal(routeOf('10.0.0.1', '10.0.0.1', { 'x-forwarded-prefix': prefix }).prefix, '', prefix);
    }
    assert.equal(routeOf('10.0.0.1', '10.0.0.1', { 'x-forwarded-prefix': '/a/b/' }).prefix, '/a/b');
  });

  test('addresses of one IPv6 network of 64 bits count as one client', () => {
    assert.equal(clientNetwork('198.51.100.7'), '198.51.100.7');
    for (const address of ['2001:db8:0:1::7', '2001:DB8::1:2:3:4:5', '2001:0db8:0000:0001:ffff:ffff:ffff:ffff']) {
      assert.equal(clientNetwork(address), '2001:db8:0:1::/64', address);
    }
    assert.equal(clientNetwork('::1'), '0:0:0:0::/64');
    assert.equal(clientNetwork('fe80::1%eth0'), 'fe80:0:0:0::/64');
    assert.equal(clientNetwork('1::'), '1:0:0:0::/64');
  });

  test('an invalid list of proxies stops the server', () => {
    for (const networks of [
      '10.0.0.0/33',
      '10.0.0',
      'proxy.example',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      'fe80::1%eth0',
    ]) {
      assert.throws(
        () => readConfig({}, { SIGNALBOX_TRUSTED_PROXIES: networks }),
        /SIGNALBOX_TRUSTED_PROXIES must contain/,
      );
    }
  });
});

test('links, cookies, redirects and the audit use the headers of a trusted proxy only', async () => {
  const said = {
    host: 'inner:4200',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'flows.example',
    'x-forwarded-prefix': '/signalbox',
  };
  for (const trusts of [true, false]) {
    const trustedProxies = new TrustedProxies(trusts ? ['127.0.0.1'] : ['10.0.0.1']);
    const server = await startServer({ config: { trustedProxies, allowedHosts: ['flows.example'] } });
    const base = trusts ? 'https://flows.example/signalbox' : 'http://inner:4200';
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...said };
    const device = await server.request('POST', '/api/v0/oauth/device/authorization', 'client_id=fastmcp-cli', form);
    assert.equal(device.body.verification_uri, `${base}/oauth/device`, device.text);
    const { body } = await server.request('GET', '/ui-settings', undefined, said);
    assert.equal(body.api_url, `${base}/api`);
    const moved = await server.request('GET', '/api/flows/filter/', undefined, said);
    assert.equal(moved.headers['location'], `${base}/api/flows/filter`, moved.text);
    const page = await server.request('POST', '/sign-in', 'email=x', form);
    assert.equal(page.text.includes('href="/signalbox/"'), trusts, page.text);
    const toSignIn = await server.request('GET', '/oauth/device', undefined, said);
    assert.match(String(toSignIn.headers['location']), trusts ? /^\/signalbox\/sign-in/ : /^\/sign-in/);
    const admin = await person(server, 'ada@example.com', 'admin');
    const asked = { ...said, authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
    const made = await server.request('POST', '/api/v0/organizations', '{"name":"Second","slug":"second"}', asked);
    assert.equal(made.status, 201, made.text);
    const [entry] = (await admin.get('/organizations/second/audit')).body.items;
    assert.equal(entry.address, trusts ? '203.0.113.9' : '127.0.0.1');
    const invited = await server.request(
      'POST',
      '/api/v0/organizations/default/invitations',
      '{"email":"new@example.com","role":"member"}',
      asked,
    );
    assert.ok(invited.body.url.startsWith(`${base}/invitations/`), invited.text);
    const accepted = await server.request(
      'POST',
      `/api/v0/invitations/${invited.body.token}/accept`,
      '{"password":"correct horse battery staple"}',
      { ...said, 'content-type': 'application/json' },
    );
    assert.equal(/; Secure/.test(String(accepted.headers['set-cookie'])), trusts, accepted.text);
    await server.stop();
  }
});

test("a server without authentication gets the client's address from the gateway only", async () => {
  const gateway = await startGateway();
  await gateway.register('plain', { kind: 'hosted', authentication: 'none' });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  await gateway.request('POST', '/servers/default/plain/mcp', body, {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-real-ip': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
  });
  const seen = gateway.upstream.seen.at(-1)?.headers ?? {};
  await gateway.stop();
  assert.equal(seen['x-forwarded-for'], '127.0.0.1');
  assert.equal(seen['x-forwarded-proto'], 'http');
  assert.equal(seen['x-forwarded-host'], new URL(gateway.origin).host);
  assert.equal(seen['x-real-ip'], undefined);
  assert.equal(seen['forwarded'], undefined);
});
