import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { routes } from '../../../src/app.ts';
import { resources } from '../resources/index.ts';
import { sequence } from '../sequence.ts';
import { Random } from './random.ts';
import { spoil } from './spoil.ts';
import { Handle, Joined, jsonFor, path, pathFor, Ref, Verbatim } from './symbols.ts';
import { World } from './world.ts';

test('the same seed gives the same numbers, and another seed gives others', () => {
  const draw = (seed: string) =>
    Array.from(
      { length: 5 },
      (
        (random) => () =>
          random.int(0, 1_000_000)
      )(new Random(seed)),
    );
  assert.deepEqual(draw('1'), draw('1'));
  assert.notDeepEqual(draw('1'), draw('2'));
});

test('a request names objects by the ids and names of each server', () => {
  const flow = new Handle('flow', { id: 'a' }, { id: 'b' });
  const body = { id: new Ref(flow), resource: new Joined('prefect.flow.', new Ref(flow)), n: new Verbatim('1.0') };
  assert.equal(jsonFor(body, 'reference'), '{"id":"a","resource":"prefect.flow.a","n":1.0}');
  assert.equal(jsonFor(body, 'ours'), '{"id":"b","resource":"prefect.flow.b","n":1.0}');
  assert.equal(pathFor(path`/flows/${new Ref(flow)}/name/${'a/b'}`, 'ours'), '/flows/b/name/a%2Fb');
});

test('spoiling a body changes it in one way and leaves the given one unchanged', () => {
  const body = { name: 'x', tags: ['a'], nested: { deep: [1, { y: null }] } };
  const before = jsonFor(body, 'ours');
  for (let seed = 0; seed < 200; seed += 1) spoil(new World(String(seed), 0), body);
  assert.equal(jsonFor(body, 'ours'), before);
});

test('two runs with the same seed send the same requests', () => {
  const first = (seed: string) => {
    const steps = sequence(new World(seed, 0), resources, undefined);
    return Array.from({ length: 400 }, () => {
      const { value } = steps.next();
      return value?.kind === 'http'
        ? `${value.method} ${value.route} ${jsonFor(value.body ?? null, 'ours')}`
        : value?.route;
    });
  };
  assert.deepEqual(first('seed'), first('seed'));
});

test('only actions with a wanted route follow the population', () => {
  const steps = sequence(new World('1', 0), resources, /^GET \/hello$/);
  let found: string | undefined;
  for (let i = 0; i < 1000; i += 1) found = steps.next().value?.route;
  assert.equal(found, 'GET /hello');
});

test('every route of the reference that is implemented is requested', () => {
  const fixture = new URL('../../conformance/fixtures/reference-openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(fixture, 'utf8')) as { paths: Record<string, object> };
  const nameless = (route: string) => route.replace(/\{\w+\}/g, '{}');
  const built = new Set(routes.map(({ method, path: text }) => nameless(`${method} ${text}`)));
  const asked = new Set(resources.flatMap(({ actions }) => actions.flatMap((action) => action.routes.map(nameless))));
  const missing = Object.entries(paths).flatMap(([text, item]) =>
    Object.keys(item)
      .map((method) => nameless(`${method.toUpperCase()} ${text.replace(/^\/api\//, '/')}`))
      .filter((route) => built.has(route) && !asked.has(route)),
  );
  assert.deepEqual(missing, []);
});
