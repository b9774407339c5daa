import assert from 'node:assert/strict';
import { test } from 'node:test';
import { event } from '../../test/factories.ts';
import { readResource } from './read-resource.ts';

const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const read = (resource: Record<string, string>) => readResource(event({ resource }).resource as Record<string, string>);

test('an object of the server has its name, and leads to its page', () => {
  assert.deepEqual(read({ 'prefect.resource.id': `prefect.flow-run.${id}`, 'prefect.resource.name': 'quick-fox' }), {
    id: `prefect.flow-run.${id}`,
    name: 'quick-fox',
    kind: 'Flow run',
    path: `/runs/flow-run/${id}`,
  });
});

test('an object without a name is called by the end of its id', () => {
  assert.equal(read({ 'prefect.resource.id': `prefect.flow.${id}` }).name, '3f66afa6');
});

test('an object whose page is found by name leads there only when the name is known', () => {
  const pool = `prefect.work-pool.${id}`;
  assert.equal(read({ 'prefect.resource.id': pool }).path, undefined);
  assert.equal(
    read({ 'prefect.resource.id': pool, 'prefect.resource.name': 'big/one' }).path,
    '/work-pools/work-pool/big%2Fone',
  );
});

test('a tag is its own name, and leads to the runs that have it', () => {
  assert.deepEqual(read({ 'prefect.resource.id': 'prefect.tag.a & b' }), {
    id: 'prefect.tag.a & b',
    name: 'a & b',
    kind: 'Tag',
    path: '/runs?tag=a%20%26%20b',
  });
});

test('a kind without a page has words and no address', () => {
  const worker = read({ 'prefect.resource.id': 'prefect.worker.process.one', 'prefect.resource.name': 'one' });
  assert.deepEqual([worker.kind, worker.path], ['Worker', undefined]);
});

test('a foreign resource is its name, or its id, and leads nowhere', () => {
  assert.equal(read({ 'prefect.resource.id': 'shop.order.1', 'prefect.resource.name': 'Order 1' }).name, 'Order 1');
  for (const resource of [
    'shop.order.1',
    'javascript:alert(1)',
    'prefect.invented.1',
    'prefect.constructor.1',
    'prefect.flow.',
    '',
  ]) {
    assert.deepEqual(read({ 'prefect.resource.id': resource }), {
      id: resource,
      name: resource,
      kind: undefined,
      path: undefined,
    });
  }
  assert.equal(read({}).name, '');
});
