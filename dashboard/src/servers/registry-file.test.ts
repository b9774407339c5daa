import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askedBy, parseRegistryFile, type RegistryServer } from './registry-file.ts';

const file = (given: Partial<RegistryServer>): RegistryServer => ({ name: 'org.example/weather', ...given });
const named = (given: Partial<RegistryServer>) => askedBy(file(given)).map(({ of, name }) => `${of} ${name}`);

describe('a registry file', () => {
  test('is read by itself and as an entry of a registry', () => {
    assert.equal(parseRegistryFile('{"name": "a/b"}')?.name, 'a/b');
    assert.equal(parseRegistryFile('{"server": {"name": "a/b"}, "_meta": {}}')?.name, 'a/b');
  });

  test('is none without a name', () => {
    for (const text of [
      '',
      '{',
      'null',
      '7',
      '"a/b"',
      '[]',
      '{}',
      '{"name": 7}',
      '{"server": {}}',
      '{"server": null}',
    ]) {
      assert.equal(parseRegistryFile(text), undefined, text);
    }
  });
});

describe('an import', () => {
  test('asks for nothing when the file says it all', () => {
    assert.deepEqual(askedBy(file({})), []);
    assert.deepEqual(askedBy(file({ remotes: [{ type: 'streamable-http', url: 'https://example.org/mcp' }] })), []);
  });

  test('asks for headers and variables of the address that have no value', () => {
    const remotes = [
      { type: 'sse', url: 'https://example.org/sse', headers: [{ name: 'X-Old' }] },
      {
        type: 'streamable-http',
        url: 'https://{region}.example.org/mcp',
        variables: { region: { choices: ['eu', 'us'], default: 'eu' }, version: { value: 'v1' } },
        headers: [
          { name: 'Authorization', isRequired: true, isSecret: true, description: 'Your key' },
          { name: 'X-Fixed', value: 'yes' },
          { name: 'X-Team', value: 'team-{team}', variables: { team: {} } },
        ],
      },
    ];
    assert.deepEqual(named({ remotes }), ['variables region', 'variables team', 'headers Authorization']);
    const [region, , authorization] = askedBy(file({ remotes }));
    assert.deepEqual([region?.first, region?.choices, region?.isRequired], ['eu', ['eu', 'us'], false]);
    assert.deepEqual(
      [authorization?.isRequired, authorization?.isSecret, authorization?.description],
      [true, true, 'Your key'],
    );
  });

  test('asks for the environment and the arguments of a package that can be hosted', () => {
    const packages = [
      { registryType: 'oci', identifier: 'image', environmentVariables: [{ name: 'NOT_THIS' }] },
      {
        registryType: 'npm',
        identifier: 'weather-mcp',
        environmentVariables: [
          { name: 'TOKEN', isSecret: true },
          { name: 'MODE', value: 'fast' },
        ],
        packageArguments: [
          { type: 'named', name: '--units' },
          { type: 'positional', valueHint: 'folder' },
          { type: 'positional' },
          { type: 'positional', value: 'serve' },
        ],
      },
    ];
    assert.deepEqual(named({ packages }), [
      'environment TOKEN',
      'arguments --units',
      'arguments folder',
      'arguments 3',
    ]);
  });

  test('prefers a remote server to a package', () => {
    const packages = [{ registryType: 'pypi', identifier: 'x', environmentVariables: [{ name: 'TOKEN' }] }];
    const remotes = [{ type: 'streamable-http', url: 'https://example.org/mcp', headers: [{ name: 'X-Key' }] }];
    assert.deepEqual(named({ packages, remotes }), ['headers X-Key']);
  });

  test('asks for what it can of a file that is not as it should be', () => {
    const odd: readonly unknown[] = [null, 7, 'text', true, [], {}, [null], ['text'], [{}], [[]]];
    for (const list of odd) {
      assert.deepEqual(named({ remotes: list, packages: list } as object), []);
      const remote = { type: 'streamable-http', url: '', headers: list, variables: list };
      assert.ok(named({ remotes: [remote] } as object).every((one) => one.startsWith('variables ')));
      const hosted = { registryType: 'npm', environmentVariables: list, packageArguments: list, transport: list };
      assert.ok(named({ packages: [hosted] } as object).every((one) => one === 'arguments 1'));
    }
    const input = { description: { evil: true }, default: 7, choices: 'eu', isRequired: 'yes', isSecret: 1 };
    const remote = { type: 'streamable-http', url: '', variables: { region: input, none: null } };
    assert.deepEqual(askedBy(file({ remotes: [remote] } as object)), [
      {
        name: 'region',
        of: 'variables',
        description: undefined,
        isRequired: false,
        isSecret: false,
        first: '',
        choices: [],
      },
    ]);
  });

  test('asks for one value once', () => {
    const team = { variables: { team: {} }, value: '{team}' };
    const headers = [
      { name: 'A', ...team },
      { name: 'B', ...team },
    ];
    assert.deepEqual(named({ remotes: [{ type: 'streamable-http', url: '', headers }] }), ['variables team']);
  });
});
