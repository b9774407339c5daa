import type { Parsed } from '../wire/json-text.ts';
import { drawFilter, everyOperator, type FilterShape } from './filters.ts';
import { type Action, http, request } from './resource.ts';
import { spoiled } from './spoil.ts';
import type { HttpStep, RowOrder } from './step.ts';
import type { SymbolicObject } from './symbols.ts';
import type { World } from './world.ts';

/** The reference's page size, and the largest `limit` it takes. */
export const LARGEST_LIMIT = 200;

/** The key that a sort value orders by; undefined where it orders by ids that each server chose. */
export type Sort = Pick<RowOrder, 'key' | 'byName'>;
export const byId: Sort = {};
export const byName: Sort = { key: (row) => textOf(row.name), byName: true };
export const by = (...fields: string[]): Sort => ({
  key: (row) => textOf(fields.map((field) => row[field]).find((value) => value !== null && value !== undefined)),
});

function textOf(value: Parsed | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** The filter, count and paginate routes of a resource. */
export interface ListRoutes {
  /** `/flows`; the routes are `/flows/filter` and so on. */
  readonly base: string;
  readonly routes: readonly ('filter' | 'count' | 'paginate')[];
  /** The wire name of the resource's own filter. */
  readonly own: string;
  /** Every filter that the routes take, by wire name. */
  readonly filters: Readonly<Record<string, FilterShape>>;
  /** Sort values by wire name; the first is the default. Empty where the order is fixed (`fixed`). */
  readonly sorts: Readonly<Record<string, Sort>>;
  readonly fixed?: Sort;
  readonly weight: number;
  /** The rows are written in the background. */
  readonly settle?: boolean;
}

/** Valid lists, counts and pages in proportion to their use, and some spoiled ones. */
export function listActions(spec: ListRoutes): Action[] {
  const weights = { filter: 1, paginate: 0.35, count: 0.3 };
  return spec.routes.map((kind) =>
    request(`POST ${spec.base}/${kind}`, spec.weight * weights[kind], (world) => {
      const step = listStep(world, spec, kind, drawFilters(world, spec));
      return world.random.chance(0.22) ? spoiled(world, step) : step;
    }),
  );
}

/** Every operator of every filter alone, and every sort value. */
export function listSweep(world: World, spec: ListRoutes): (() => HttpStep)[] {
  const operators = Object.entries(spec.filters).flatMap(([name, shape]) =>
    everyOperator(shape).map(({ note, draw }) => () => {
      const kind = name === spec.own ? 'filter' : world.random.pick(spec.routes);
      return { ...listStep(world, spec, kind, { [name]: draw(world) }), note: `${name}.${note}` };
    }),
  );
  const sorts = Object.keys(spec.sorts).map((sort) => () => listStep(world, spec, 'filter', { sort }));
  return [...operators, ...sorts];
}

function drawFilters(world: World, spec: ListRoutes): SymbolicObject {
  const { random } = world;
  const body: SymbolicObject = {};
  for (const [name, shape] of Object.entries(spec.filters)) {
    if (!random.chance(name === spec.own ? 0.75 : 0.12)) continue;
    body[name] = random.chance(0.04) ? random.pick([null, {}]) : drawFilter(world, shape);
  }
  return body;
}

/** One request; `sort`, `limit` and the offset are drawn where `body` does not fix them. */
function listStep(
  world: World,
  spec: ListRoutes,
  kind: 'filter' | 'count' | 'paginate',
  filters: SymbolicObject,
): HttpStep {
  const { random } = world;
  const route = `POST ${spec.base}/${kind}`;
  const path = { literals: [`${spec.base}/${kind}`], values: [] };
  if (kind === 'count') {
    const { sort: _, ...body } = filters;
    return http(route, path, { body, settle: spec.settle });
  }
  const body: SymbolicObject = { ...filters };
  const names = Object.keys(spec.sorts);
  if (names.length > 0 && !body.sort && random.chance(0.6)) body.sort = random.pick(names);
  const limit = random.chance(0.35) ? random.pick([0, 1, 2, 5, 10, 50, 200, 201, -1]) : undefined;
  if (limit !== undefined) body.limit = limit;
  let skipped = false;
  if (kind === 'filter' && random.chance(0.15)) {
    body.offset = random.pick([0, 1, 3, 1000]);
    skipped = body.offset > 0;
  } else if (kind === 'paginate' && random.chance(0.4)) {
    body.page = random.pick([1, 1, 2, 3]);
    skipped = body.page > 1;
  }
  const sort = spec.fixed ?? (spec.sorts[String(body.sort ?? names[0])] as Sort | undefined) ?? byId;
  const rows: RowOrder = { ...sort, limit: limit ?? LARGEST_LIMIT, skipped };
  return http(route, path, { body, rows, settle: spec.settle });
}

/** Spoils the body of some of the list requests. */
export function maybeSpoiled(world: World, step: HttpStep, probability = 0.25): HttpStep {
  return world.random.chance(probability) ? spoiled(world, step) : step;
}
