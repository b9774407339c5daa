import type { Action, Resource } from './generate/resource.ts';
import type { Step } from './generate/step.ts';
import type { World } from './generate/world.ts';

/** Share of the steps after the population that come from the sweep while it lasts. */
const SWEEP_SHARE = 0.4;

/**
 * The steps of a run: first the population, then single operators from the sweep mixed with random actions. Endless:
 * the caller stops. Steps depend on the seed and on which objects could be created, not on other answers of the
 * servers.
 */
export function* sequence(world: World, resources: readonly Resource[], routes: RegExp | undefined): Generator<Step> {
  let index = 0;
  for (const resource of resources) {
    world.startStep(index++);
    if (resource.populate) yield* resource.populate(world);
  }
  const wanted = (action: Action) => !routes || action.routes.some((route) => routes.test(route));
  const actions = resources.flatMap((resource) => resource.actions).filter(wanted);
  world.startStep(index++);
  const sweep = world.random.sample(
    resources.flatMap((resource) => resource.sweep?.(world) ?? []),
    Number.POSITIVE_INFINITY,
  );
  if (actions.length === 0) return;
  for (;;) {
    world.startStep(index++);
    if (sweep.length > 0 && world.random.chance(SWEEP_SHARE)) {
      const step = sweep.pop()?.();
      if (step && (!routes || routes.test(step.route))) yield step;
    } else {
      yield* world.random.weighted(actions).steps(world);
    }
  }
}
