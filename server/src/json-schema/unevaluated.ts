/** The keywords for parts that no other keyword of the schema, or of the schemas it applies, has evaluated. */
import { isJsonObject, keysInOrder } from '../values/json.ts';
import { namesWithVerb, sorted } from '../values/python-text.ts';
import type { Site, Walk } from './walk.ts';

const ALTERNATIVES = ['allOf', 'oneOf', 'anyOf'] as const;

export function failUnevaluatedItems(_value: unknown, walk: Walk, site: Site, instance: readonly unknown[]): void {
  const evaluated = evaluatedItems(walk, instance, site.schema);
  const left = instance.filter((_, index) => !evaluated.has(index));
  if (left.length > 0) {
    walk.fail(site, () => `Unevaluated items are not allowed (${namesWithVerb(left)} unexpected)`);
  }
}

export function failUnevaluatedProperties(
  value: unknown,
  walk: Walk,
  site: Site,
  instance: Record<string, unknown>,
): void {
  const evaluated = evaluatedProperties(walk, instance, site.schema);
  const left = keysInOrder(instance).filter((name) => !evaluated.has(name) && !walk.partFits(instance[name], value));
  if (left.length === 0) return;
  walk.fail(site, () =>
    value === false
      ? `Unevaluated properties are not allowed (${namesWithVerb(sorted(left))} unexpected)`
      : `Unevaluated properties are not valid under the given schema (${namesWithVerb(left)} unevaluated and invalid)`,
  );
}

/** The schemas that `schema` applies to the same value, if the value fits them. */
function appliedSchemas(walk: Walk, instance: unknown, schema: Readonly<Record<string, unknown>>): unknown[] {
  const applied: unknown[] = [];
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = schema[keyword];
    if (typeof reference === 'string') applied.push(walk.resolve(reference));
  }
  for (const keyword of ALTERNATIVES) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) applied.push(...branches.filter((branch) => walk.fits(instance, branch)));
  }
  if (schema['if'] !== undefined) {
    if (walk.fits(instance, schema['if'])) applied.push(schema['if'], schema['then']);
    else applied.push(schema['else']);
  }
  if (isJsonObject(schema['dependentSchemas']) && isJsonObject(instance)) {
    const dependents = Object.entries(schema['dependentSchemas']);
    walk.spend(dependents.length);
    for (const [name, dependent] of dependents) {
      if (Object.hasOwn(instance, name)) applied.push(dependent);
    }
  }
  return applied;
}

function evaluatedItems(walk: Walk, instance: readonly unknown[], schema: unknown, seen = new Set()): Set<number> {
  const evaluated = new Set<number>();
  if (!isJsonObject(schema) || seen.has(schema)) return evaluated;
  seen.add(schema);
  walk.spend(1 + 16 * instance.length);
  if (schema['items'] !== undefined) return new Set(instance.keys());
  if (Array.isArray(schema['prefixItems'])) {
    for (const index of schema['prefixItems'].slice(0, instance.length).keys()) evaluated.add(index);
  }
  for (const keyword of ['contains', 'unevaluatedItems']) {
    if (schema[keyword] === undefined) continue;
    for (const [index, item] of instance.entries()) if (walk.partFits(item, schema[keyword])) evaluated.add(index);
  }
  for (const applied of appliedSchemas(walk, instance, schema)) {
    const within = evaluatedItems(walk, instance, applied, seen);
    walk.spend(16 * within.size);
    for (const index of within) evaluated.add(index);
  }
  return evaluated;
}

function evaluatedProperties(
  walk: Walk,
  instance: Record<string, unknown>,
  schema: unknown,
  seen = new Set(),
): Set<string> {
  const evaluated = new Set<string>();
  if (!isJsonObject(schema) || seen.has(schema)) return evaluated;
  seen.add(schema);
  const names = keysInOrder(instance);
  walk.spend(1 + 4 * names.length);
  const { properties, patternProperties } = schema;
  if (isJsonObject(properties)) for (const name of names) if (Object.hasOwn(properties, name)) evaluated.add(name);
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    const value = schema[keyword];
    if (value === undefined) continue;
    for (const name of names) if (walk.partFits(instance[name], value)) evaluated.add(name);
  }
  if (isJsonObject(patternProperties)) {
    for (const pattern of Object.keys(patternProperties)) {
      for (const name of names) if (walk.matches(pattern, name)) evaluated.add(name);
    }
  }
  for (const applied of appliedSchemas(walk, instance, schema)) {
    const within = evaluatedProperties(walk, instance, applied, seen);
    walk.spend(16 * within.size);
    for (const name of within) evaluated.add(name);
  }
  return evaluated;
}
