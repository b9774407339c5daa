import type { HttpStep, Step, Steps } from './step.ts';
import type { PathTemplate } from './symbols.ts';
import type { World } from './world.ts';

/** An action of a client: one request, or a few that belong together. */
export interface Action {
  /** Every route that the steps may use; the `--routes` option chooses actions by these. */
  readonly routes: readonly string[];
  readonly weight: number;
  readonly steps: (world: World) => Steps;
}

/**
 * Everything that is compared of one resource. Adding a resource is one file with this shape and its line in
 * `index.ts`.
 */
export interface Resource {
  readonly name: string;
  /**
   * Objects that the filters choose from, created once at the start; resources are populated in the order of
   * `index.ts`.
   */
  readonly populate?: (world: World) => Steps;
  /** Requests that are each sent once, such as every operator of every filter. */
  readonly sweep?: (world: World) => readonly (() => Step)[];
  /** The actions that are drawn at random after that. */
  readonly actions: readonly Action[];
}

type Details = Partial<Omit<HttpStep, 'kind' | 'method' | 'path'>>;

/** A request step; the route is given as the OpenAPI document writes it (`POST /flows/filter`). */
export function http(route: string, path: PathTemplate, details: Details = {}): HttpStep {
  const method = route.slice(0, route.indexOf(' '));
  return { kind: 'http', route, note: '', method, path, ...details };
}

/** An action of a single request. */
export function request(route: string, weight: number, step: (world: World) => HttpStep): Action {
  return {
    routes: [route],
    weight,
    *steps(world) {
      yield step(world);
    },
  };
}
