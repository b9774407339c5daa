import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOfPage, objectPage } from './object-pages.ts';

test('the page of an object has a kind, and lists, forms and the parts of an object have none', () => {
  assert.equal(kindOfPage('/runs/flow-run/1'), 'Flow run');
  assert.equal(kindOfPage('/servers/weather'), 'MCP server');
  assert.equal(kindOfPage('/work-pools/work-pool/a%20pool'), 'Work pool');
  for (const path of ['/', '/runs', '/servers', '/servers/', '/servers/new', '/deployments/deployment/1/run']) {
    assert.equal(kindOfPage(path), undefined, path);
  }
});

test('a form of an object leads to the list of its kind', () => {
  assert.equal(objectPage('/deployments/deployment/1/run')?.list.path, '/deployments');
  assert.equal(objectPage('/work-pools/work-pool/docker/worker/one')?.kind, 'work pool');
  for (const path of ['/', '/deployments', '/deployments/deployment/', '/settings']) {
    assert.equal(objectPage(path), undefined, path);
  }
});
