import { byName, type ListRoutes, listActions, maybeSpoiled } from '../generate/list-routes.ts';
import { http, type Resource, request } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { type Handle, path, Ref, type Symbolic, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';
import { isParsedObject } from '../wire/json-text.ts';

const POPULATION = 8;
const V2 = '/v2/concurrency_limits';
/**
 * Zero, or fast enough to free everything at once: the databases of the reference disagree about fractions of a slot.
 */
const DECAYS = [0, 100_000] as const;

const lists: ListRoutes = {
  base: V2,
  routes: ['filter'],
  own: '',
  filters: {},
  sorts: {},
  fixed: byName,
  weight: 1,
};

/** Limits by name, with and without leases. */
export const concurrencyLimits: Resource = {
  name: 'concurrency limits',
  *populate(world) {
    for (let i = 0; i < POPULATION; i += 1) yield create(world);
  },
  actions: [
    request(`POST ${V2}/`, 1, (world) => maybeSpoiled(world, create(world))),
    request(`POST ${V2}/`, 0.2, (world) =>
      http(`POST ${V2}/`, path`/v2/concurrency_limits/`, {
        note: 'name that exists',
        body: { name: world.attribute('concurrency_limit', 'name'), limit: 1 },
      }),
    ),
    request(`GET ${V2}/{id_or_name}`, 1, (world) => read(key(world))),
    {
      routes: [`PATCH ${V2}/{id_or_name}`, `GET ${V2}/{id_or_name}`],
      weight: 1,
      *steps(world) {
        const handle = world.random.chance(0.06) ? undefined : world.some('concurrency_limit');
        const chosen = handle ? new Ref(handle, world.random.pick(['id', 'name'])) : world.random.uuid();
        const step = http(`PATCH ${V2}/{id_or_name}`, path`/v2/concurrency_limits/${chosen}`, {
          body: changes(world, handle),
        });
        yield maybeSpoiled(world, step);
        yield read(chosen);
      },
    },
    {
      routes: [`DELETE ${V2}/{id_or_name}`, `GET ${V2}/{id_or_name}`],
      weight: 0.3,
      *steps(world) {
        const handle = world.some('concurrency_limit');
        const chosen = handle ? new Ref(handle, world.random.pick(['id', 'name'])) : world.random.uuid();
        yield http(`DELETE ${V2}/{id_or_name}`, path`/v2/concurrency_limits/${chosen}`, { learn: () => handle?.die() });
        yield read(chosen);
      },
    },
    ...(['increment', 'decrement'] as const).map((verb): Resource['actions'][number] => {
      const route = `POST ${V2}/${verb}`;
      return {
        routes: [route, `GET ${V2}/{id_or_name}`],
        weight: 1.5,
        *steps(world) {
          const names = someNames(world, verb === 'increment' ? undefined : 'limit');
          const body = verb === 'increment' ? increment(world, names) : decrement(world, names);
          const step = http(route, { literals: [`${V2}/${verb}`], values: [] }, { body, rows: {} });
          yield maybeSpoiled(world, step, 0.2);
          if (names[0] !== undefined) yield read(names[0]);
        },
      };
    }),
    {
      routes: [`POST ${V2}/increment-with-lease`, `GET ${V2}/{id_or_name}`],
      weight: 1.5,
      *steps(world) {
        const names = someNames(world, 'leased');
        const body = {
          ...increment(world, names),
          ...world.optional({
            lease_duration: () => world.random.pick([60, 300.5, 86_400, 59, 86_401]),
            holder: () => world.random.pick<Symbolic>([{ type: 'flow_run', id: world.random.uuid() }, null]),
          }),
        };
        yield maybeSpoiled(
          world,
          http(`POST ${V2}/increment-with-lease`, path`/v2/concurrency_limits/increment-with-lease`, {
            body,
            learn: ({ reference, ours }) => {
              if (!isParsedObject(reference) || !isParsedObject(ours)) return;
              const id = { id: String(reference.lease_id) };
              world.addValues('lease', id, { id: String(ours.lease_id) });
            },
          }),
          0.2,
        );
        if (names[0] !== undefined) yield read(names[0]);
      },
    },
    request(`POST ${V2}/leases/{lease_id}/renew`, 0.7, (world) => {
      const lease = world.random.chance(0.1) ? 'no-lease' : world.id('lease');
      return maybeSpoiled(
        world,
        http(`POST ${V2}/leases/{lease_id}/renew`, path`/v2/concurrency_limits/leases/${lease}/renew`, {
          body: world.optional({ lease_duration: () => world.random.pick([60, 120.5, 86_400, 1]) }, 0.7),
        }),
      );
    }),
    {
      routes: [`POST ${V2}/decrement-with-lease`, `POST ${V2}/filter`],
      weight: 0.8,
      *steps(world) {
        const lease = world.some('lease');
        const body = { lease_id: lease && world.random.chance(0.9) ? new Ref(lease) : world.id('lease') };
        const at = path`/v2/concurrency_limits/decrement-with-lease`;
        yield maybeSpoiled(
          world,
          http(`POST ${V2}/decrement-with-lease`, at, {
            body,
            learn: () => body.lease_id instanceof Ref && lease?.die(),
          }),
          0.2,
        );
        yield http(`POST ${V2}/filter`, path`/v2/concurrency_limits/filter`, {
          body: {},
          rows: { ...byName, limit: 200 },
        });
      },
    },
    ...listActions(lists),
  ],
};

function key(world: World): Symbolic {
  return world.random.chance(0.5) ? world.id('concurrency_limit') : world.attribute('concurrency_limit', 'name');
}

function read(chosen: Symbolic): HttpStep {
  return http(`GET ${V2}/{id_or_name}`, path`/v2/concurrency_limits/${chosen}`);
}

function fields(world: World, probability: number): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      limit: () => random.pick([1, 2, 5, 100]),
      active: () => random.chance(0.8),
      active_slots: () => random.pick([0, 1]),
      denied_slots: () => random.pick([0, 3]),
      slot_decay_per_second: () => random.pick(DECAYS),
    },
    probability,
  );
}

/**
 * The number of used slots is compared only for limits without leases: here the leases of others keep theirs. It is
 * sent with each decay: a slower decay alone makes the reference take slots again that were already free.
 */
function changes(world: World, handle: Handle | undefined): SymbolicObject {
  const { name: _, active_slots, slot_decay_per_second, ...body } = fields(world, 0.4);
  if (isLeased(handle) || (active_slots === undefined && slot_decay_per_second === undefined)) return body;
  const decay: SymbolicObject = slot_decay_per_second === undefined ? {} : { slot_decay_per_second };
  return { ...body, ...decay, active_slots: active_slots ?? world.random.pick([0, 1]) };
}

function isLeased(handle: Handle | undefined): boolean {
  return String(handle?.facts.name).startsWith('leased-');
}

function create(world: World): HttpStep {
  // The reference divides by 0 (409) when a slot of a limit of 0 is returned: such limits are created, and not used.
  const limit = world.random.pick([0, 1, 2, 5, 100]);
  const body = { ...fields(world, 0.3), name: world.name(world.random.pick(['limit', 'leased'])), limit };
  return http(`POST ${V2}/`, path`/v2/concurrency_limits/`, {
    body,
    learn: (bodies) => limit > 0 && world.add('concurrency_limit', bodies),
  });
}

/**
 * Leases are taken on limits of one kind, and slots are returned without a lease on those of the other: here a lease
 * frees its slots, where the reference takes them for the returned ones.
 */
function someNames(world: World, kind?: 'limit' | 'leased'): Symbolic[] {
  const isOfKind = (handle: Handle) => kind === undefined || String(handle.facts.name).startsWith(`${kind}-`);
  return Array.from({ length: world.random.pick([1, 1, 1, 2, 0]) }, () => {
    const handle = world.random.chance(0.06) ? undefined : world.some('concurrency_limit', isOfKind);
    return handle ? new Ref(handle, 'name') : world.name('missing');
  });
}

function increment(world: World, names: Symbolic[]): SymbolicObject {
  const { random } = world;
  return {
    slots: random.pick([1, 1, 1, 2, 3, 0]),
    names,
    ...world.optional({
      mode: () => random.pick(['concurrency', 'rate_limit']),
      create_if_missing: () => random.pick<Symbolic>([true, false, null]),
    }),
  };
}

function decrement(world: World, names: Symbolic[]): SymbolicObject {
  const { random } = world;
  return {
    slots: random.pick([1, 1, 2]),
    names,
    ...world.optional({
      occupancy_seconds: () => random.pick<Symbolic>([0.5, 10, null]),
      create_if_missing: () => random.chance(0.5),
    }),
  };
}
