import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectCommands, deployCommands, installCommands, needsKey, runCommands, workerCommands } from './commands.ts';

const open = {
  address: 'https://box.example/sb',
  workspace: undefined,
  apiAuth: 'open',
  prefectVersion: '3.9.1',
} as const;
const workspace = { organizationId: 'o-1', workspaceId: 'w-2' };
const lines = (...given: Parameters<typeof connectCommands>) =>
  connectCommands(...given)
    .split('\n')
    .slice(0, -1);

test('the lines fit the address and the credential of this installation', () => {
  assert.deepEqual(lines(open, undefined), ['export PREFECT_API_URL=https://box.example/sb/api']);
  assert.deepEqual(lines({ ...open, apiAuth: 'basic' }, undefined), [
    'export PREFECT_API_URL=https://box.example/sb/api',
    'export PREFECT_API_AUTH_STRING=user:password',
  ]);
  assert.deepEqual(lines({ ...open, apiAuth: 'key' }, undefined)[1], 'export PREFECT_API_AUTH_STRING=sbx_…');
  assert.deepEqual(lines({ ...open, apiAuth: 'key' }, 'sbx_1')[1], 'export PREFECT_API_AUTH_STRING=sbx_1');
  assert.deepEqual(lines({ ...open, workspace }, 'sbx_1'), [
    'export PREFECT_API_URL=https://box.example/sb/api/accounts/o-1/workspaces/w-2',
    'export PREFECT_API_KEY=sbx_1',
    'export PREFECT_CLOUD_API_URL=https://box.example/sb/api',
  ]);
});

test('a hosted workspace always needs a key', () => {
  assert.deepEqual(
    [open, { ...open, apiAuth: 'basic' as const }, { ...open, apiAuth: 'key' as const }, { ...open, workspace }].map(
      needsKey,
    ),
    [false, false, true, true],
  );
});

test('both installers install the version that fits, and odd names are quoted', () => {
  assert.match(installCommands('pip', open), /^pip install prefect==3\.9\.1$/m);
  assert.match(installCommands('uv', open), /^uv pip install prefect==3\.9\.1$/m);
  assert.match(deployCommands('my "pool"'), /work_pool_name="my \\"pool\\""/);
  assert.equal(runCommands("it's/a run"), "prefect deployment run 'it'\\''s/a run'");
});

test('the worker starts in a terminal that knows nothing yet', () => {
  assert.deepEqual(workerCommands('laptop', { ...open, apiAuth: 'key' }, 'sbx_1').split('\n'), [
    '. .venv/bin/activate',
    'export PREFECT_API_URL=https://box.example/sb/api',
    'export PREFECT_API_AUTH_STRING=sbx_1',
    'prefect worker start --pool laptop',
  ]);
});
