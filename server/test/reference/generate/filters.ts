import type { Symbolic, SymbolicObject } from './symbols.ts';
import type { World } from './world.ts';

/** Draws a value for one operator of a filter. */
export type Draw = (world: World) => Symbolic;
/** The operators of one criterion, by wire name; `nested` ones are criteria themselves (`state.type`). */
export interface Criterion {
  readonly operators: Readonly<Record<string, Draw | Criterion>>;
  /** The criterion combines its operators by an `operator` field of its own. */
  readonly combines?: boolean;
}
/** A filter object: its criteria by wire name. All but one of the reference's filters have an `operator` field. */
export interface FilterShape {
  readonly criteria: Readonly<Record<string, Criterion>>;
  readonly combines: boolean;
}

/** A filter with one to three criteria, each with one or two operators. */
export function drawFilter(world: World, shape: FilterShape): SymbolicObject {
  const count = world.random.pick([1, 1, 1, 1, 2, 2, 3]);
  const filter: SymbolicObject = {};
  for (const name of world.random.sample(Object.keys(shape.criteria), count)) {
    filter[name] = world.random.chance(0.03) ? null : drawCriterion(world, shape.criteria[name] as Criterion);
  }
  if (shape.combines && world.random.chance(count > 1 ? 0.4 : 0.05)) filter.operator = drawOperator(world);
  return filter;
}

function drawCriterion(world: World, { operators, combines }: Criterion): SymbolicObject {
  const count = world.random.chance(0.2) ? 2 : 1;
  const criterion: SymbolicObject = {};
  for (const name of world.random.sample(Object.keys(operators), count)) {
    criterion[name] = drawOperand(world, operators[name] as Draw | Criterion);
  }
  if (combines && world.random.chance(count > 1 ? 0.5 : 0.05)) criterion.operator = drawOperator(world);
  return criterion;
}

function drawOperand(world: World, operator: Draw | Criterion): Symbolic {
  return typeof operator === 'function' ? operator(world) : drawCriterion(world, operator);
}

function drawOperator(world: World): string {
  return world.random.pick(['and_', 'or_']);
}

/** Every operator of a filter alone, as filters that are drawn on demand. */
export function everyOperator(shape: FilterShape): { note: string; draw: (world: World) => SymbolicObject }[] {
  return Object.entries(shape.criteria).flatMap(([name, criterion]) =>
    everyOperand(criterion).map(({ note, draw }) => ({
      note: `${name}.${note}`,
      draw: (world: World) => ({ [name]: draw(world) }),
    })),
  );
}

function everyOperand(criterion: Criterion): { note: string; draw: (world: World) => Symbolic }[] {
  return Object.entries(criterion.operators).flatMap(([name, operator]) => {
    if (typeof operator === 'function') return [{ note: name, draw: (world: World) => ({ [name]: operator(world) }) }];
    return everyOperand(operator).map(({ note, draw }) => ({
      note: `${name}.${note}`,
      draw: (world: World) => ({ [name]: draw(world) }),
    }));
  });
}

// Values of operators

function several(world: World, draw: Draw): Symbolic[] {
  return Array.from({ length: world.random.pick([0, 1, 1, 2, 3, 5]) }, () => draw(world));
}

export const idsOf =
  (kind: string): Draw =>
  (world) =>
    several(world, () => world.id(kind));
export const namesOf = (kind: string, attribute = 'name'): Draw => {
  return (world) => several(world, () => world.attribute(kind, attribute));
};
export const oneOf =
  (...values: Symbolic[]): Draw =>
  (world) =>
    several(world, () => world.random.pick(values));
export const flag: Draw = (world) => world.random.chance(0.5);
const when: Draw = (world) => world.time();
const someTags: Draw = (world) => world.random.sample([...world.tagPool, 'nobody'], world.random.pick([0, 1, 1, 1, 2]));

/**
 * Part of the name of an existing object of `kind`; wildcards and letter case included. It contains a digit, which no
 * generated name does: generated names differ between the servers.
 */
export const pieceOf = (kind: string, attribute = 'name'): Draw => {
  return (world) => {
    const handle = world.some(kind, (one) => /\d/.test(String(one.facts[attribute])));
    const name = handle ? String(handle.facts[attribute]) : 'name-1';
    const digit = name.search(/\d/);
    // Digits alone would also fit ids, which stand in names that a server makes up.
    const piece = name.slice(world.random.int(0, Math.max(0, digit - 2)), digit + world.random.int(1, 4));
    const wild = world.random.pick([piece.replace(/\D/, '_'), `${piece}%`, `%${piece}`]);
    return world.random.pick([piece, piece, piece.toUpperCase(), name, '', '_', '%', wild, '0such']);
  };
};

export const tagCriterion = (...extra: 'any_'[]): Criterion => ({
  operators: { all_: someTags, is_null_: flag, ...Object.fromEntries(extra.map((name) => [name, someTags])) },
  combines: true,
});
export const timeCriterion: Criterion = { operators: { before_: when, after_: when } };
export const nullableTimeCriterion: Criterion = { operators: { before_: when, after_: when, is_null_: flag } };
export const idCriterion = (kind: string): Criterion => ({ operators: { any_: idsOf(kind) } });
export const nameCriterion = (kind: string): Criterion => ({
  operators: { any_: namesOf(kind), like_: pieceOf(kind) },
});
