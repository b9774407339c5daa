import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from './config.ts';

describe('configuration', () => {
  test("a flag overrides the environment, which overrides the reference server's name for it", () => {
    const environment = { SIGNALBOX_PORT: '5000', PREFECT_SERVER_API_PORT: '6000' };
    assert.equal(readConfig({ port: '7000' }, environment).port, 7000);
    assert.equal(readConfig({}, environment).port, 5000);
    assert.equal(readConfig({}, { PREFECT_SERVER_API_PORT: '6000' }).port, 6000);
    assert.equal(readConfig({}, {}).port, 4200);
  });

  test('an unknown setting and an invalid value are refused by name', () => {
    assert.throws(() => readConfig({}, { SIGNALBOX_PROT: '1' }), /SIGNALBOX_PROT is not a setting/);
    assert.throws(() => readConfig({}, { SIGNALBOX_PORT: 'http' }), /SIGNALBOX_PORT must be a whole number/);
    assert.throws(() => readConfig({}, { SIGNALBOX_SERVICES: 'sheduler' }), /unknown service, "sheduler"/);
  });

  test('the address of a server with a path is refused, and the settings that take it are named', () => {
    const refused = (SIGNALBOX_PUBLIC_URL: string, said: RegExp) =>
      assert.throws(() => readConfig({}, { SIGNALBOX_PUBLIC_URL }), said);
    const origin = 'SIGNALBOX_PUBLIC_URL=https://sb\\.example';
    refused('https://sb.example/tools', new RegExp(`${origin} and SIGNALBOX_BASE_PATH=/tools\\.$`));
    refused('https://sb.example/tools/api/', new RegExp(`${origin} and SIGNALBOX_BASE_PATH=/tools\\.$`));
    refused('https://sb.example/api', new RegExp(`${origin}\\.$`));
    refused('https://sb.example/', new RegExp(`${origin}\\.$`));
    refused('sb.example', /must be like https:/);
    assert.throws(
      () => readConfig({}, { SIGNALBOX_SERVERS_URL: 'https://mcp.example/x' }),
      /SIGNALBOX_SERVERS_URL=https:\/\/mcp\.example\.$/,
    );
    assert.equal(readConfig({ 'public-url': 'https://sb.example:8443' }, {}).publicUrl, 'https://sb.example:8443');
  });

  test('the error about an invalid secret does not repeat it', () => {
    assert.throws(
      () => readConfig({}, { SIGNALBOX_DATABASE_URL: 'mysql://root:hunter2@db' }),
      (error: Error) => error.message.includes('SIGNALBOX_DATABASE_URL') && !error.message.includes('hunter2'),
    );
  });

  test('open access on an address that other machines reach needs an explicit setting', () => {
    assert.throws(() => readConfig({}, { SIGNALBOX_HOST: '0.0.0.0' }), /Anyone who reaches 0\.0\.0\.0/);
    assert.equal(readConfig({}, { SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_ALLOW_OPEN_ACCESS: 'true' }).apiAuth, 'open');
  });

  test('the auth string of the reference server enables basic authentication', () => {
    const config = readConfig({}, { PREFECT_SERVER_API_AUTH_STRING: 'admin:pass', SIGNALBOX_HOST: '0.0.0.0' });
    assert.equal(config.apiAuth, 'basic');
    assert.throws(() => readConfig({}, { SIGNALBOX_API_AUTH: 'basic' }), /user:password/);
    for (const SIGNALBOX_API_AUTH_STRING of ['hunter2', 'admin:', 'sbx_hunter2']) {
      assert.throws(
        () => readConfig({}, { SIGNALBOX_API_AUTH_STRING }),
        ({ message }: Error) =>
          /SIGNALBOX_API_AUTH_STRING must be user:password/.test(message) && !message.includes('hunter2'),
      );
    }
    assert.throws(() => readConfig({}, { SIGNALBOX_API_AUTH_STRING: 'sbx_x' }), /SIGNALBOX_API_AUTH=key/);
  });
});
