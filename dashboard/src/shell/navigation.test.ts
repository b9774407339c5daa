import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { access, NOW, newId } from '../../test/factories.ts';
import { lacksRole, openPlaces, places } from './navigation.ts';

const user = { id: newId(), email: 'ada@example.org', name: 'Ada', createdAt: NOW };
const titlesOf = (given: Parameters<typeof access>[0]) =>
  openPlaces(access(given))
    .flat()
    .map(({ title }) => title);

test('each place has a key and an address of its own', () => {
  const all = places.flat();
  assert.equal(new Set(all.map(({ key }) => key)).size, all.length);
  assert.equal(new Set(all.map(({ path }) => path)).size, all.length);
});

describe('the places that are offered', () => {
  test('to a person without a role in the workspace are those of the organization', () => {
    assert.deepEqual(titlesOf({ user, permissions: ['organization:member'] }), [
      'Catalog',
      'MCP servers',
      'Requests',
      'People',
      'Workspaces',
    ]);
  });

  test('to an administrator are all', () => {
    const permissions = ['flow_runs:read', 'organization:member', 'organization:admin'] as const;
    assert.equal(titlesOf({ user, permissions: [...permissions] }).length, places.flat().length);
  });

  test('on a server without accounts are all but those of people', () => {
    const titles = titlesOf({ permissions: ['flow_runs:read'] });
    assert.equal(titles.includes('Runs'), true);
    assert.equal(titles.includes('People'), false);
    assert.equal(titles.includes('Audit'), false);
  });

  test('do not blink away before the server has answered', () => {
    assert.equal(
      openPlaces(undefined)
        .flat()
        .some(({ path }) => path === '/runs'),
      true,
    );
  });
});

test('a person without a role lacks it on the pages of the workspace, and not on those beyond it', () => {
  const without = access({ user });
  for (const path of ['/', '/runs', '/runs/flow-run/1', '/settings', '/serversx'])
    assert.equal(lacksRole(without, path), true, path);
  for (const path of ['/servers', '/servers/weather', '/people', '/workspace', '/workspaces', '/account']) {
    assert.equal(lacksRole(without, path), false, path);
  }
  assert.equal(lacksRole(access({ user, permissions: ['flow_runs:read'] }), '/runs'), false);
  assert.equal(lacksRole(undefined, '/runs'), false);
});
