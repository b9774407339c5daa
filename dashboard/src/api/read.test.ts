import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

const document = { baseURI: 'http://localhost/', getElementById: () => null };
Object.assign(globalThis, { location: new URL('http://localhost/'), document });
const { invalidate, platformRead, read } = await import('./read.ts');
const { queries } = await import('./query-client.ts');

/** Which of these queries a change makes old. */
async function oldAfter(change: () => Promise<void>, asked: readonly { readonly queryKey: readonly unknown[] }[]) {
  for (const { queryKey } of asked) queries.setQueryData(queryKey, {});
  await change();
  return asked.map(({ queryKey }) => queries.getQueryState(queryKey)?.isInvalidated);
}

describe('queries and their paths', () => {
  const list = platformRead.list('/organizations/{org}/workspaces', { params: { path: { org: 'acme' } } });
  const params = { path: { org: 'acme', id: '1' } };
  const one = platformRead.one('/organizations/{org}/workspaces/{id}', { params });
  const grants = platformRead.list('/organizations/{org}/workspaces/{id}/grants', { params });
  const pools = read.one('/views/work_pools', {});

  test('a change makes a list old, and not the objects in it', async () => {
    const change = () => invalidate('/organizations/{org}/workspaces');
    assert.deepEqual(await oldAfter(change, [list, one, grants, pools]), [true, false, false, false]);
  });

  test('a star makes what is below old too', async () => {
    const change = () => invalidate('/organizations/{org}/workspaces/{id}/*', '/views/work_pools');
    assert.deepEqual(await oldAfter(change, [list, one, grants, pools]), [false, true, true, true]);
  });

  test('another organization has another query, and pages are not one answer', () => {
    const other = platformRead.list('/organizations/{org}/workspaces', { params: { path: { org: 'other' } } });
    const answer = platformRead.one('/organizations/{org}/workspaces', {
      params: { path: { org: 'acme' }, query: { limit: 100 } },
    });
    const keys = [list, other, answer].map(({ queryKey }) => JSON.stringify(queryKey));
    assert.equal(new Set(keys).size, 3);
  });
});
