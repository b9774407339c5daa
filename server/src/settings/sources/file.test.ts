import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Config, configFrom } from '../../config.ts';
import { ConfigError } from '../../errors.ts';
import { allSettings, type SettingKey, settings } from '../all.ts';
import { nameInFile } from '../setting.ts';
import { resolveSettings } from './resolve.ts';
import { sourcesOf } from './sources.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const MAIL = { smtp_url: '"smtp://mail.example"', smtp_from: '"sb@example.com"', public_url: '"https://sb.example"' };
const mail = (except?: keyof typeof MAIL) =>
  Object.entries(MAIL)
    .map(([name, value]) => (name === except ? '' : `${name} = ${value}\n`))
    .join('');
const OIDC = 'oidc_issuer = "https://id.example"\noidc_client_id = "abc"\n';

/** For each setting: its value in TOML, what it is in the configuration, and lines that it needs beside it. */
const rows: Record<
  Exclude<SettingKey, 'home' | 'config'>,
  readonly [toml: string, read: (config: Config) => unknown, expected: unknown, beside?: string]
> = {
  host: ['"127.0.0.2"', ({ host }) => host, '127.0.0.2'],
  port: ['4_300', ({ port }) => port, 4300],
  processes: ['"auto"', ({ processes }) => processes, 'auto'],
  publicUrl: ['"https://sb.example"', ({ publicUrl }) => publicUrl, 'https://sb.example'],
  basePath: ["'/sb'", ({ basePath }) => basePath, '/sb'],
  trustedProxies: [
    '["10.0.0.0/8", "192.0.2.1"]',
    ({ trustedProxies }) => ['10.1.2.3', '192.0.2.1', '192.0.2.2'].map((address) => trustedProxies.includes(address)),
    [true, true, false],
  ],
  databaseUrl: ['"postgresql+asyncpg://u:p@db/x"', ({ databaseUrl }) => databaseUrl, 'postgres://u:p@db/x'],
  databaseListenUrl: ['"postgres://u@db/x"', ({ databaseListenUrl }) => databaseListenUrl, 'postgres://u@db/x'],
  encryptionKey: [`["${KEY}"]`, ({ encryptionKey }) => encryptionKey, KEY],
  logLevel: ['"WARNING"', ({ logLevel }) => logLevel, 'warn'],
  logFormat: ['"text"', ({ logFormat }) => logFormat, 'text'],
  peerPort: ['4_201', ({ peerPort }) => peerPort, 4201],
  peerHost: ['"10.0.0.1"', ({ peerHost }) => peerHost, '10.0.0.1'],
  metricsPort: ['0x24f8', ({ metricsPort }) => metricsPort, 9464],
  metricsHost: ['"::1"', ({ metricsHost }) => metricsHost, '::1'],
  drainDelaySeconds: ['3', ({ drainDelaySeconds }) => drainDelaySeconds, 3],
  drainSeconds: ['"4"', ({ drainSeconds }) => drainSeconds, 4],
  databaseTimeoutSeconds: ['2.5', ({ databaseTimeoutSeconds }) => databaseTimeoutSeconds, 2.5],
  databaseLockSeconds: ['7', ({ databaseLockSeconds }) => databaseLockSeconds, 7],
  logSearchIndex: ['false', ({ logSearchIndex }) => logSearchIndex, false],
  databaseConnections: ['20', ({ databaseConnections }) => databaseConnections, 20],
  apiAuth: ['"key"', ({ apiAuth }) => apiAuth, 'key'],
  apiAuthString: ['"a:b"', ({ apiAuthString, apiAuth }) => [apiAuthString, apiAuth], ['a:b', 'basic']],
  allowOpenAccess: ['true', ({ host, apiAuth }) => [host, apiAuth], ['0.0.0.0', 'open'], 'host = "0.0.0.0"\n'],
  organizationCreation: ['"nobody"', ({ organizationCreation }) => organizationCreation, 'nobody'],
  allowedHosts: ['["A.example", "b.example"]', ({ allowedHosts }) => allowedHosts, ['a.example', 'b.example']],
  allowedOrigins: ['["https://a.example"]', ({ allowedOrigins }) => allowedOrigins, ['https://a.example']],
  oauth: ['"off"', ({ oauth }) => oauth, false],
  oidcIssuer: ['"https://id.example"', ({ oidc }) => oidc?.issuer, 'https://id.example', 'oidc_client_id = "a"\n'],
  oidcClientId: ['12345', ({ oidc }) => oidc?.clientId, '12345', 'oidc_issuer = "https://id.example"\n'],
  oidcClientSecret: ['"shh"', ({ oidc }) => oidc?.clientSecret, 'shh', OIDC],
  oidcLabel: ['"Änderung"', ({ oidc }) => oidc?.label, 'Änderung', OIDC],
  oidcScopes: ['["openid", "email", "groups"]', ({ oidc }) => oidc?.scopes, 'openid email groups', OIDC],
  oidcEmailDomains: ['["A.example"]', ({ oidc }) => oidc?.emailDomains, ['a.example'], OIDC],
  oidcGroupsClaim: ['"roles"', ({ oidc }) => oidc?.groupsClaim, 'roles', OIDC],
  oidcGroupRoles: [
    '["cn=eng,dc=x = default:member", "ops=default:admin"]',
    ({ oidc }) => oidc?.groupRoles.map(({ group, role }) => [group, role]),
    [
      ['cn=eng,dc=x', 'member'],
      ['ops', 'admin'],
    ],
    OIDC,
  ],
  oidcNewUsers: ['"members"', ({ oidc }) => oidc?.newUsers, 'members', OIDC],
  smtpUrl: [
    '"smtps://user:p%40ss@mail.example"',
    ({ mail }) => [mail?.server.host, mail?.server.password],
    ['mail.example', 'p@ss'],
    mail('smtp_url'),
  ],
  smtpFrom: ['"Box <box@example.com>"', ({ mail }) => mail?.from.name, 'Box', mail('smtp_from')],
  smtpCa: ['"signalbox.toml"', ({ mail }) => mail?.ca?.includes('smtp_ca = '), true, mail()],
  mailsPerHour: ['7', ({ mail }) => mail?.perHour, 7, mail()],
  maxBodyBytes: ['2048', ({ maxBodyBytes }) => maxBodyBytes, 2048],
  maxReceivingBytes: ['1_099_511_627_776', ({ maxReceivingBytes }) => maxReceivingBytes, 2 ** 40],
  bodyTimeoutSeconds: ['61', ({ bodyTimeoutSeconds }) => bodyTimeoutSeconds, 61],
  apiMaxLimit: ['201', ({ apiMaxLimit }) => apiMaxLimit, 201],
  webhookRequestsPerMinute: ['121', ({ webhookRequestsPerMinute }) => webhookRequestsPerMinute, 121],
  workspaceWebhookRequestsPerMinute: [
    '601',
    ({ workspaceWebhookRequestsPerMinute }) => workspaceWebhookRequestsPerMinute,
    601,
  ],
  maxRequests: ['513', ({ maxRequests }) => maxRequests, 513],
  maxServerRequests: ['4001', ({ maxServerRequests }) => maxServerRequests, 4001],
  maxConnections: ['16385', ({ maxConnections }) => maxConnections, 16_385],
  maxConnectionsOfClient: ['4097', ({ maxConnectionsOfClient }) => maxConnectionsOfClient, 4097],
  maxWaitingSockets: ['2001', ({ maxWaitingSockets }) => maxWaitingSockets, 2001],
  maxWaitingSocketsOfClient: ['501', ({ maxWaitingSocketsOfClient }) => maxWaitingSocketsOfClient, 501],
  maxSocketsOfWorkspace: ['10001', ({ maxSocketsOfWorkspace }) => maxSocketsOfWorkspace, 10_001],
  maxSocketsOfCaller: ['2501', ({ maxSocketsOfCaller }) => maxSocketsOfCaller, 2501],
  maxParameterBytes: ['0', ({ maxParameterBytes }) => maxParameterBytes, 0],
  services: ['["scheduler", "foreman"]', ({ services }) => [...services], ['scheduler', 'foreman']],
  schedulerMinRuns: ['4', ({ schedulerMinRuns }) => schedulerMinRuns, 4],
  schedulerMaxRuns: ['101', ({ schedulerMaxRuns }) => schedulerMaxRuns, 101],
  schedulerMinSeconds: ['3601', ({ schedulerMinSeconds }) => schedulerMinSeconds, 3601],
  schedulerMaxSeconds: ['86400', ({ schedulerMaxSeconds }) => schedulerMaxSeconds, 86_400],
  lateAfterSeconds: ['16', ({ lateAfterSeconds }) => lateAfterSeconds, 16],
  heartbeatSeconds: ['181', ({ heartbeatSeconds }) => heartbeatSeconds, 181],
  retention: ['[]', ({ retention }) => [...retention], []],
  eventRetentionSeconds: ['86400', ({ eventRetentionSeconds }) => eventRetentionSeconds, 86_400],
  runRetentionSeconds: ['86401', ({ runRetentionSeconds }) => runRetentionSeconds, 86_401],
  mcpRequestRetentionSeconds: ['86402', ({ mcpRequestRetentionSeconds }) => mcpRequestRetentionSeconds, 86_402],
  allowPrivateTargets: ['false', ({ allowPrivateTargets }) => allowPrivateTargets, false],
  allowedPrivateNetworks: [
    '["10.1.0.0/16"]',
    ({ allowedPrivateNetworks }) => ['10.1.2.3', '10.2.0.1'].map((address) => allowedPrivateNetworks.check(address)),
    [true, false],
  ],
  serversUrl: ['"https://mcp.example"', ({ serversUrl }) => serversUrl, 'https://mcp.example'],
  mcpAllowedOrigins: ['"https://a.example"', ({ mcpAllowedOrigins }) => mcpAllowedOrigins, ['https://a.example']],
  hosting: ['"off"', ({ hosting }) => hosting, 'off'],
  hostingNetwork: ['"machine"', ({ hostingNetwork }) => hostingNetwork, 'machine'],
  hostingLimits: ['"watched"', ({ hostingLimits }) => hostingLimits, 'watched'],
  hostingMaxMemory: ['64', ({ hostingCeilings }) => hostingCeilings.memoryMegabytes, 64],
  hostingMaxDisk: ['16', ({ hostingCeilings }) => hostingCeilings.diskMegabytes, 16],
  hostingMaxFiles: ['1000', ({ hostingCeilings }) => hostingCeilings.files, 1000],
  hostingMaxProcesses: ['3', ({ hostingCeilings }) => hostingCeilings.maxProcesses, 3],
  hostingBuilds: ['5', ({ hostingCeilings }) => hostingCeilings.builds, 5],
  hostingBuildSeconds: ['11', ({ hostingCeilings }) => hostingCeilings.buildSeconds, 11],
  hostingQueuedBuilds: ['12', ({ hostingCeilings }) => hostingCeilings.queuedBuilds, 12],
};

describe('the settings file', () => {
  let home: string;
  let path: string;
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'signalbox-file-'));
    path = join(home, 'signalbox.toml');
  });
  after(() => rmSync(home, { recursive: true }));

  const read = (flags: Record<string, string> = {}, environment: Record<string, string> = {}) => {
    const sources = sourcesOf({ home, ...flags }, environment);
    return configFrom(resolveSettings(sources), sources);
  };
  const write = (content: string | Buffer) => {
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, content, { mode: 0o600 });
  };
  /** The sentence that a content, or a file that `flags` name, is refused with. */
  const refused = (content?: string | Buffer, flags: Record<string, string> = {}) => {
    if (content !== undefined) write(content);
    try {
      read(flags);
    } catch (error) {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, /^[^\n]+\.$/);
      return error.message;
    }
    return assert.fail(`not refused: ${content}`);
  };

  for (const [key, [toml, pick, expected, beside = '']] of Object.entries(rows)) {
    const name = nameInFile(settings[key as SettingKey].name);
    test(`sets ${name}`, () => {
      const none = sourcesOf({ home: join(home, 'empty') }, {});
      const without = beside.includes('0.0.0.0') ? undefined : pick(configFrom(resolveSettings(none), none));
      write(`# ${name}\n${beside}${name} = ${toml}\n`);
      assert.deepEqual(pick(read()), expected);
      assert.notDeepEqual(without, expected, 'the default is another value');
    });
  }

  test('a wrong value is refused with the setting, the line and the file, and a secret is not shown', () => {
    for (const setting of allSettings) {
      const name = nameInFile(setting.name);
      if (setting.notInFile !== undefined) continue;
      assert.ok(refused(`\n\n${name} = 1979-05-27\n`).startsWith(`${name} in line 3 of ${path} is a date`));
      assert.ok(refused(`\n${name} = { a = 1 }\n`).startsWith(`${name} in line 2 of ${path} is a table`));
      if (!setting.check) continue;
      const said = refused(`# hunter2\n\n${name} = "no such hunter2/@"\n`);
      assert.ok(said.startsWith(`${name} in line 3 of ${path} `), said);
      assert.equal(said.includes('hunter2') && setting.secret === true, false, said);
    }
  });

  test('a list is refused where one value belongs', () => {
    for (const setting of allSettings) {
      if (setting.separator !== undefined || setting.notInFile !== undefined) continue;
      assert.match(
        refused(`${nameInFile(setting.name)} = ["a"]`),
        /in line 1 of \S+ is a list, but accepts one value\.$/,
      );
    }
    assert.match(refused('services = ["scheduler,foreman"]'), /has an entry with "," in it/);
    assert.match(refused('services = ["scheduler", ""]'), /has an empty entry/);
    assert.match(refused('services = [["scheduler"]]'), /has a list in its list/);
  });

  test('the environment and flags override it, and it overrides the default', () => {
    write('port = 4301\n');
    assert.equal(read().port, 4301);
    assert.equal(read({}, { PREFECT_SERVER_API_PORT: '4302' }).port, 4302);
    assert.equal(read({ port: '4303' }, { SIGNALBOX_PORT: '4302' }).port, 4303);
    assert.equal(resolveSettings(sourcesOf({ home }, {})).port.origin, 'signalbox.toml line 1');
  });

  test('a name that is no setting is refused with the nearest names, also in other spellings', () => {
    const cases = {
      'prot = 1': /^prot in line 1 of \S+ is not a setting of Signalbox\. Did you mean port\?/,
      'a = 1': /^a in line 1 of \S+ is not a setting/,
      'SIGNALBOX_PORT = 1': / Write it as port\./,
      'database-url = "x"': / Write it as database_url\./,
      'PREFECT_SERVER_API_PORT = 1': / Write it as port\./,
      '\n[server]\nport = 1': /^server in line 2 of \S+ is a table, which a settings file does not have/,
      'server.api.port = 1': /^server in line 1 of \S+ is a table/,
      '[[port]]\n': /^port in line 1 of \S+ is a table/,
      '__proto__ = 1': /^__proto__ in line 1 of \S+ is not a setting/,
      '"__proto__".port = 1': /^__proto__ in line 1 of \S+ is a table/,
      'constructor = 1': /^constructor in line 1 of \S+ is not a setting/,
      'port_file = "x"': /^port_file in line 1 of \S+ is not a setting/,
      [`${'x'.repeat(100_000)} = 1`]: /^x{200}… in line 1 of \S+ is not a setting/,
      '"\\u001b[2J" = 1': /^\[2J in line 1/,
    };
    for (const [content, sentence] of Object.entries(cases)) assert.match(refused(content), sentence);
  });

  test('it cannot name the home folder or another settings file', () => {
    assert.match(refused('home = "/x"'), /^home in line 1 of \S+ is not allowed there: .*--home or SIGNALBOX_HOME/);
    assert.match(refused('config = "/x"'), /^config in line 1 of \S+ is not allowed there: .*--config/);
  });

  test('what is not TOML is refused with the line, and not quoted', () => {
    const cases = {
      'port = 1\nport = 2\n': /not valid TOML in line 2, column 1: trying to redefine/,
      'api_auth_string = hunter2\n': /not valid TOML in line 1, column 19: invalid value/,
      'api_auth_string = "hunter2\n': /not valid TOML in line 1/,
      'port = 1 port = 2': /not valid TOML in line 1/,
      '\u0000': /not valid TOML in line 1/,
      'oidc_label = "a\u0000b"': /not valid TOML in line 1, column 16: control characters/,
      'oidc_label = "a\\u0000b"': /^oidc_label in line 1 of \S+ contains a line break or another control character/,
      'oidc_label = """\nhunter2\n"""': /^oidc_label in line 1 of \S+ contains a line break/,
      [`services = ${'['.repeat(50_000)}`]: /not valid TOML in line 1, .*nested/,
      [`${'a.'.repeat(50_000)}a = 1`]: /^a in line 1 of \S+ is a table/,
      'port = inf': /^port in line 1 of \S+ must be a whole number .*"Infinity"/,
      'port = 4200.5': /^port in line 1 of \S+ must be a whole number/,
      'port = 99999999999999999999': /^port in line 1 of \S+ must be a whole number .*"99999999999999999999"/,
      'port = true': /^port in line 1 of \S+ must be a whole number .*"true"/,
    };
    for (const [content, sentence] of Object.entries(cases)) {
      const said = refused(content);
      assert.match(said, sentence);
      assert.doesNotMatch(said, /hunter2/);
    }
  });

  test('a byte order mark, Windows line ends and an empty file are read', () => {
    write('\ufeff# settings\r\nport = 4301\r\n\r\nlog_level = "warn"\r\n');
    assert.deepEqual([read().port, read().logLevel], [4301, 'warn']);
    assert.match(refused('\ufeff\r\n\r\nprot = 1\r\n'), /^prot in line 3 of/);
    write('');
    assert.equal(read().port, 4200);
  });

  test('what is not a text file of some length is refused', () => {
    const bad = refused(Buffer.from('port = 1 # \xe9', 'latin1'));
    assert.match(bad, /signalbox\.toml is not text in UTF-8\. Save it/);
    assert.match(refused(Buffer.from('\ufeffport = 1', 'utf16le')), /is not text in UTF-8/);
    write('');
    truncateSync(path, 100_000_000);
    assert.match(refused(), /signalbox\.toml has more than 256 kB\. Move it away/);
    rmSync(path);
    mkdirSync(path);
    assert.match(refused(), /signalbox\.toml is a folder\. Move it away, or name another with SIGNALBOX_CONFIG/);
    rmSync(path, { recursive: true });
    symlinkSync(path, path);
    assert.match(refused(), /is a symbolic link that leads to itself\. Replace it/);
    rmSync(path);
    assert.match(refused(undefined, { config: '/dev/null' }), /^The settings file \/dev\/null is not a regular file/);
  });

  test('a named file must exist, and one in the home folder need not', () => {
    rmSync(path, { force: true });
    assert.equal(read().port, 4200);
    assert.equal(read().settingsFile, undefined);
    const missing = join(home, 'missing.toml');
    assert.equal(
      refused(undefined, { config: missing }),
      `The settings file ${missing} does not exist. Create it, or correct SIGNALBOX_CONFIG (--config).`,
    );
    write('port = 4301\n');
    assert.match(refused(undefined, { config: join(path, 'x') }), /lies below a file/);
    const other = join(home, 'other.toml');
    writeFileSync(other, 'port = 4302\n');
    assert.equal(read({ config: other }).port, 4302, 'and is read in place of the other');
    assert.equal(read({}, { SIGNALBOX_CONFIG: other }).settingsFile?.path, other);
  });

  test('a file of its own holds a secret, and paths begin at the settings file', () => {
    write('database_url_file = "url"\n');
    assert.match(refused(), /^database_url_file in line 1 of \S+ names \S+\/url, which does not exist/);
    writeFileSync(join(home, 'url'), 'postgres://u:hunter2@db/x\n');
    assert.equal(read().databaseUrl, 'postgres://u:hunter2@db/x');
    assert.match(
      refused('database_url_file = "url"\ndatabase_url = "sqlite:x"\n'),
      /^Set database_url in line 2 of \S+ or database_url_file in line 1 of \S+, not both\.$/,
    );
    writeFileSync(join(home, 'url'), 'mysql://u:hunter2@db/x\n');
    assert.match(refused('database_url_file = "url"\n'), /^The file of database_url_file in line 1 of \S+ must start/);
    write('database_url = "sqlite:my.db"\n');
    assert.equal(read().databaseUrl, `sqlite:${join(home, 'my.db')}`);
    assert.equal(read({}, { SIGNALBOX_DATABASE_URL: 'postgres://db/x' }).databaseUrl, 'postgres://db/x');
  });

  test('a file with secrets that everyone may read is told, and one behind a closed folder is not', {
    skip: process.platform === 'win32',
  }, () => {
    write('api_auth_string = "a:hunter2"\n');
    const exposure = (config = read()) => config.settingsFile?.exposure;
    chmodSync(path, 0o644);
    assert.equal(exposure(), undefined, 'the home folder lets nobody through');
    chmodSync(home, 0o755);
    assert.match(exposure()?.says ?? '', /Every user of this machine can read the secrets in .*signalbox\.toml/);
    chmodSync(path, 0o640);
    assert.equal(exposure(), undefined);
    write('port = 1\ndatabase_url = "sqlite:a"\napi_auth_string_file = "auth"\n');
    writeFileSync(join(home, 'auth'), 'a:b');
    chmodSync(path, 0o644);
    assert.equal(exposure(), undefined, 'it holds no secret');
    chmodSync(home, 0o700);
  });
});
