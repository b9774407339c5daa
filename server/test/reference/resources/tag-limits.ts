import { by, type ListRoutes, listActions, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { path, Ref, type Symbolic } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

/** Limits on tags that no task run of the comparison has: otherwise the reference deadlocks. */
const V1 = '/concurrency_limits';
const tagLists: ListRoutes = {
  base: V1,
  routes: ['filter'],
  own: '',
  filters: {},
  sorts: {},
  fixed: by('updated'),
  weight: 0.6,
};

/** Limits of task runs by their tags. */
export const tagLimits: Resource = {
  name: 'tag limits',
  *populate(world) {
    for (let i = 0; i < 4; i += 1) yield createTagLimit(world);
  },
  actions: [
    request(`POST ${V1}/`, 0.7, (world) => maybeSpoiled(world, createTagLimit(world))),
    request(`POST ${V1}/`, 0.3, (world) => {
      const body = { tag: world.attribute('tag_limit', 'tag'), concurrency_limit: world.random.pick([0, 1, 2]) };
      return http(`POST ${V1}/`, path`/concurrency_limits/`, { note: 'again', body });
    }),
    request(`GET ${V1}/{id}`, 0.6, (world) =>
      http(`GET ${V1}/{id}`, path`/concurrency_limits/${world.id('tag_limit')}`),
    ),
    request(`GET ${V1}/tag/{tag}`, 0.6, (world) => readTag(world.attribute('tag_limit', 'tag'))),
    {
      routes: [`DELETE ${V1}/{id}`, `DELETE ${V1}/tag/{tag}`, `GET ${V1}/tag/{tag}`],
      weight: 0.3,
      *steps(world) {
        // With the slot of one limit the reference frees those of others that were taken together with it.
        const handle = world.some('tag_limit', (one) => one.facts.shared !== true);
        const byId = world.random.chance(0.5);
        const chosen = handle ? new Ref(handle, byId ? 'id' : 'tag') : world.random.uuid();
        const learn = () => handle?.die();
        yield byId
          ? http(`DELETE ${V1}/{id}`, path`/concurrency_limits/${chosen}`, { learn })
          : http(`DELETE ${V1}/tag/{tag}`, path`/concurrency_limits/tag/${chosen}`, { learn });
        yield readTag(handle ? new Ref(handle, 'tag') : 'none');
      },
    },
    {
      routes: [`POST ${V1}/tag/{tag}/reset`, `GET ${V1}/tag/{tag}`],
      weight: 0.4,
      *steps(world) {
        // A separate limit: a slot that is freed without a replacement stays counted on the reference, as do those of
        // other limits that were taken together with it.
        const tag = world.random.chance(0.1) ? world.name('missing') : world.name('reset');
        const at = path`/concurrency_limits/tag/${tag}`;
        if (tag.startsWith('reset')) {
          const body = { tag, concurrency_limit: world.random.pick([1, 2]) };
          yield http(`POST ${V1}/`, path`/concurrency_limits/`, { note: 'to be reset', body });
          const taken = { names: [tag], task_run_id: world.id('task_run') };
          if (world.random.chance(0.7)) {
            yield http(`POST ${V1}/increment`, path`/concurrency_limits/increment`, { body: taken, rows: {} });
          }
        }
        const body = world.optional(
          { slot_override: () => world.random.pick<Symbolic>([[world.random.uuid()], [], null]) },
          0.5,
        );
        const step = http(`POST ${V1}/tag/{tag}/reset`, path`/concurrency_limits/tag/${tag}/reset`, { body });
        yield maybeSpoiled(world, step);
        yield readTag(tag);
        yield http(`DELETE ${V1}/tag/{tag}`, at);
      },
    },
    ...(['increment', 'decrement'] as const).map((verb): Resource['actions'][number] => {
      const route = `POST ${V1}/${verb}`;
      return {
        routes: [route, `GET ${V1}/tag/{tag}`],
        weight: 0.7,
        *steps(world) {
          const handles = world.random.sample(world.alive('tag_limit'), world.random.pick([1, 1, 2]));
          const names: Symbolic[] = [...handles.map((handle) => new Ref(handle, 'tag')), 'unlimited'];
          if (handles.length > 1) for (const handle of handles) handle.facts.shared = true;
          const body = { names, task_run_id: world.id('task_run') };
          const step = http(route, { literals: [`${V1}/${verb}`], values: [] }, { body, rows: {} });
          yield maybeSpoiled(world, step, 0.2);
          yield readTag(names[0] as Symbolic);
        },
      };
    }),
    ...listActions(tagLists),
  ],
};

function readTag(tag: Symbolic): HttpStep {
  return http(`GET ${V1}/tag/{tag}`, path`/concurrency_limits/tag/${tag}`);
}

function createTagLimit(world: World): HttpStep {
  return http(`POST ${V1}/`, path`/concurrency_limits/`, {
    body: { tag: world.name('limited'), concurrency_limit: world.random.pick([0, 1, 1, 2, 5]) },
    learn: (bodies) => void world.add('tag_limit', bodies),
  });
}
