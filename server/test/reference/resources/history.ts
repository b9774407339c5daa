import { drawFilter, type FilterShape } from '../generate/filters.ts';
import { http } from '../generate/resource.ts';
import type { HttpStep } from '../generate/step.ts';
import { type Symbolic, type SymbolicObject, Verbatim } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

export type Filters = Readonly<Record<string, FilterShape>>;

/** Each filter in some of the requests. */
export function drawSome(world: World, filters: Filters, probability = 0.2): SymbolicObject {
  const draws = Object.entries(filters).map(([name, shape]) => [name, () => drawFilter(world, shape)] as const);
  return world.optional(Object.fromEntries(draws), probability);
}

/** The number of runs in each state, by time. Bounds are at full minutes, and no bucket ends near the present. */
export function historyStep(world: World, base: '/flow_runs' | '/task_runs', filters: Filters): HttpStep {
  const { random } = world;
  const start = -random.int(3, 80);
  const end = start + random.pick([1, 6, 24, 72, 150]);
  const body: SymbolicObject = {
    history_start: world.hoursAway(start + 0.25),
    history_end: world.hoursAway(random.chance(0.05) ? start - 1 : end + 0.25),
    history_interval_seconds: random.pick<Symbolic>([
      ...[3600, 21_600, 86_400, 7200],
      ...[3600, new Verbatim('5400.0'), 'PT1H', 'P1D', 1, 0, 0.5, -5, 1_000_000],
    ]),
    ...drawSome(world, filters),
  };
  return http(`POST ${base}/history`, { literals: [`${base}/history`], values: [] }, { body });
}
