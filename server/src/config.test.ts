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
  });
});
