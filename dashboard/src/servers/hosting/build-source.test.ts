import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildOf, emptySource, formOf, hasFiles, sourceKinds } from './build-source.ts';

const sourceOf = (given: Partial<typeof emptySource>) => buildOf({ ...emptySource, ...given }, true, 'upload-1').source;

describe('the source of a build', () => {
  test('is a branch or tag of a repository, or one of its commits', () => {
    const repository = ' https://example.org/weather.git ';
    assert.deepEqual(sourceOf({ repository, revision: 'v1.2' }), {
      kind: 'git',
      repository: repository.trim(),
      ref: 'v1.2',
    });
    const commit = 'a'.repeat(40);
    assert.deepEqual(sourceOf({ repository: 'r', revision: ` ${commit} ` }), { kind: 'git', repository: 'r', commit });
    assert.deepEqual(sourceOf({ repository: 'r', revision: commit.slice(1) }), {
      kind: 'git',
      repository: 'r',
      ref: commit.slice(1),
    });
  });

  test('is a package with one argument on each line, spaces included', () => {
    assert.deepEqual(
      sourceOf({
        kind: 'package',
        identifier: ' weather-mcp ',
        version: '1.0.0 ',
        arguments: '--units\nmetric units\n\n',
      }),
      {
        kind: 'package',
        registryType: 'npm',
        identifier: 'weather-mcp',
        version: '1.0.0',
        extras: [],
        program: null,
        arguments: ['--units', 'metric units'],
      },
    );
    const newest = sourceOf({
      kind: 'package',
      registryType: 'pypi',
      identifier: 'weather',
      extras: 'http, cli',
      program: 'run',
    });
    assert.deepEqual(newest, {
      kind: 'package',
      registryType: 'pypi',
      identifier: 'weather',
      version: null,
      extras: ['http', 'cli'],
      program: 'run',
      arguments: [],
    });
  });

  test('is an archive that was sent, a folder or a command of the machine', () => {
    assert.deepEqual(sourceOf({ kind: 'archive' }), { kind: 'archive', uploadId: 'upload-1' });
    assert.deepEqual(sourceOf({ kind: 'folder', path: ' /srv/weather ' }), { kind: 'folder', path: '/srv/weather' });
    const command = sourceOf({ kind: 'command', command: 'node server.js', workingDirectory: ' ' });
    assert.deepEqual(command, { kind: 'command', command: 'node server.js', workingDirectory: null });
  });

  test('names an entrypoint only where there are files to find it in', () => {
    for (const [kind] of sourceKinds) {
      const { entrypoint } = buildOf({ ...emptySource, kind, entrypoint: ' main.py ' }, false, undefined);
      assert.equal(entrypoint, hasFiles(kind) ? 'main.py' : null, kind);
    }
    assert.deepEqual(
      sourceKinds.map(([kind]) => kind).filter((kind) => !hasFiles(kind)),
      ['package', 'command'],
    );
  });

  test('of an earlier build fills the form for the next one', () => {
    const forms = [
      {
        ...emptySource,
        repository: 'https://example.org/weather.git',
        revision: 'b'.repeat(40),
        entrypoint: 'main.py',
      },
      {
        ...emptySource,
        kind: 'package',
        registryType: 'pypi',
        identifier: 'weather',
        version: '2',
        extras: 'http, cli',
        program: 'run',
        arguments: 'a\nb c',
      },
      { ...emptySource, kind: 'folder', path: '/srv/weather', dependencyPath: 'requirements.txt' },
      { ...emptySource, kind: 'command', command: 'node server.js', workingDirectory: '/srv' },
    ] as const;
    for (const form of forms) {
      const { source, entrypoint, dependencyPath } = buildOf(form, true, undefined);
      assert.deepEqual(formOf(source, entrypoint ?? null, dependencyPath ?? null), form);
    }
  });

  test('that the form does not know begins a new one', () => {
    for (const source of [{}, { kind: 'invented' }, { kind: 7, repository: 7, arguments: 'x', command: null }]) {
      assert.deepEqual(formOf(source, null, null), emptySource);
    }
  });
});
