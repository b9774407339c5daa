/** The keywords of draft 2020-12, with the messages of Python's `jsonschema` 4. */
import { isFloat, isJsonObject, isRawNumber, jsonTextOf, keysInOrder, numberOf } from '../values/json.ts';
import { namesWithVerb, pythonQuote, sorted } from '../values/python-text.ts';
import { fitsFormat } from './formats.ts';
import type { SchemaError } from './schema-error.ts';
import { isOfType, typesOf } from './types.ts';
import { failUnevaluatedItems, failUnevaluatedProperties } from './unevaluated.ts';
import type { Keyword, Site, Walk } from './walk.ts';

const repr = pythonQuote;

function onObjects(
  keyword: (value: unknown, walk: Walk, site: Site, instance: Record<string, unknown>) => void,
): Keyword {
  return (value, walk, site) => {
    if (isJsonObject(site.instance)) keyword(value, walk, site, site.instance);
  };
}

function onArrays(keyword: (value: unknown, walk: Walk, site: Site, instance: readonly unknown[]) => void): Keyword {
  return (value, walk, site) => {
    if (Array.isArray(site.instance)) keyword(value, walk, site, site.instance);
  };
}

/** A limit of numbers, which fails when `isBeyond` is true. */
function bound(isBeyond: (instance: number, bound: number) => boolean, words: string): Keyword {
  return (value, walk, site) => {
    const [limit, instance] = [numberOf(value), numberOf(site.instance)];
    if (limit === undefined || instance === undefined || !isBeyond(instance, limit)) return;
    walk.fail(site, () => `${repr(site.instance)} is ${words} of ${repr(value)}`);
  };
}

/** A limit of sizes; `edge` is the limit that has words of its own. */
function size(
  sizeOf: (instance: unknown) => number | undefined,
  isBeyond: (size: number, bound: number) => boolean,
  words: string,
  edge: number,
  edgeWords: string,
): Keyword {
  return (value, walk, site) => {
    const [limit, actual] = [numberOf(value), sizeOf(site.instance)];
    if (limit === undefined || actual === undefined || !isBeyond(actual, limit)) return;
    walk.fail(site, () => `${repr(site.instance)} ${limit === edge ? edgeWords : words}`);
  };
}

const below = (size: number, bound: number) => size < bound;
const above = (size: number, bound: number) => size > bound;
const itemCount = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const propertyCount = (value: unknown) => (isJsonObject(value) ? keysInOrder(value).length : undefined);
/** Characters are code points. */
const textLength = (value: unknown) => {
  if (typeof value !== 'string') return undefined;
  let length = 0;
  for (const _ of value) length++;
  return length;
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const entries = (value: unknown): [string, unknown][] =>
  isJsonObject(value) ? keysInOrder(value).map((key) => [key, value[key]]) : [];

function multipleOf(value: unknown, walk: Walk, site: Site): void {
  const { instance } = site;
  const [factor, number] = [numberOf(value), numberOf(instance)];
  if (factor === undefined || number === undefined || factor === 0) return;
  if (isMultiple(walk, instance, number, value, factor)) return;
  walk.fail(site, () => `${repr(instance)} is not a multiple of ${repr(value)}`);
}

const INTEGER = /^-?\d+$/;

function isMultiple(walk: Walk, instance: unknown, number: number, value: unknown, factor: number): boolean {
  if (isFloat(value)) return Number.isInteger(number / factor) || !Number.isFinite(number / factor);
  if (!isRawNumber(instance) && !isRawNumber(value)) return number % factor === 0;
  const [dividend, divisor] = [jsonTextOf(instance), jsonTextOf(value)];
  if (!INTEGER.test(dividend) || !INTEGER.test(divisor)) return number % factor === 0;
  // The time of dividing long integers grows with the square of their digits.
  walk.spend((dividend.length + divisor.length) ** 2 / 4096);
  return BigInt(dividend) % BigInt(divisor) === 0n;
}

function extraProperties(walk: Walk, site: Site, instance: Record<string, unknown>): string[] {
  const { properties } = site.schema;
  const patterns = entries(site.schema['patternProperties']).map(([pattern]) => pattern);
  const names = keysInOrder(instance);
  walk.spend(names.length + patterns.length);
  return names.filter(
    (name) =>
      !(isJsonObject(properties) && Object.hasOwn(properties, name)) &&
      !patterns.some((pattern) => walk.matches(pattern, name)),
  );
}

const additionalProperties = onObjects((value, walk, site, instance) => {
  const extra = value === true ? [] : extraProperties(walk, site, instance);
  if (isJsonObject(value)) {
    for (const name of extra) walk.descend(instance[name], value, name);
  } else if (value === false && extra.length > 0) {
    const patterns = site.schema['patternProperties'];
    walk.fail(site, () => {
      const names = sorted(extra);
      if (patterns === undefined) return `Additional properties are not allowed (${namesWithVerb(names)} unexpected)`;
      const known = sorted(entries(patterns).map(([pattern]) => pattern)).map(repr);
      const verb = names.length === 1 ? 'does' : 'do';
      return `${names.map(repr).join(', ')} ${verb} not match any of the regexes: ${known.join(', ')}`;
    });
  }
});

const items = onArrays((value, walk, site, instance) => {
  // Older drafts give a schema for each position.
  if (Array.isArray(value)) {
    for (const [index, schema] of value.slice(0, instance.length).entries())
      walk.descend(instance[index], schema, index);
    return;
  }
  const prefix = list(site.schema['prefixItems']).length;
  const extra = instance.length - prefix;
  if (extra <= 0) return;
  if (value === false) {
    const rest = extra === 1 ? instance[prefix] : instance.slice(prefix);
    const word = prefix === 1 ? 'item' : 'items';
    walk.fail(site, () => `Expected at most ${prefix} ${word} but found ${extra} extra: ${repr(rest)}`);
    return;
  }
  for (let index = prefix; index < instance.length; index++) walk.descend(instance[index], value, index);
});

const contains = onArrays((value, walk, site, instance) => {
  const least = numberOf(site.schema['minContains']) ?? 1;
  const most = numberOf(site.schema['maxContains']) ?? instance.length;
  let matches = 0;
  for (const item of instance) {
    if (walk.partFits(item, value)) matches++;
    if (matches > most) {
      const words = `Too many items match the given schema (expected at most ${most})`;
      walk.fail({ ...site, keyword: 'maxContains' }, () => words);
      return;
    }
  }
  if (matches >= least) return;
  if (matches === 0) {
    walk.fail(site, () => `${repr(instance)} does not contain items matching the given schema`);
  } else {
    const words = `Too few items match the given schema (expected at least ${least} but only ${matches} matched)`;
    walk.fail({ ...site, keyword: 'minContains' }, () => words);
  }
});

function anyOf(value: unknown, walk: Walk, site: Site): void {
  if (!Array.isArray(value)) return;
  const context: SchemaError[] = [];
  for (const branch of value) {
    const errors = walk.collect(site.instance, branch);
    if (errors.length === 0) return;
    walk.spend(errors.length);
    for (const error of errors) context.push(error);
  }
  walk.fail(site, () => `${repr(site.instance)} is not valid under any of the given schemas`, context);
}

function oneOf(value: unknown, walk: Walk, site: Site): void {
  if (!Array.isArray(value)) return;
  const branches: readonly unknown[] = value;
  const context: SchemaError[] = [];
  const first = branches.findIndex((branch) => {
    const errors = walk.collect(site.instance, branch);
    walk.spend(errors.length);
    for (const error of errors) context.push(error);
    return errors.length === 0;
  });
  if (first < 0) {
    walk.fail(site, () => `${repr(site.instance)} is not valid under any of the given schemas`, context);
    return;
  }
  const others = branches.slice(first + 1).filter((branch) => walk.fits(site.instance, branch));
  if (others.length === 0) return;
  const all = [...others, branches[first]];
  walk.fail(site, () => `${repr(site.instance)} is valid under each of ${all.map(repr).join(', ')}`);
}

function checkType(value: unknown, walk: Walk, site: Site): void {
  const types = typesOf(value);
  walk.spend(2 * types.length);
  if (types.length === 0 || types.some((type) => isOfType(site.instance, type))) return;
  walk.fail(site, () => `${repr(site.instance)} is not of type ${types.map(repr).join(', ')}`);
}

function reference(value: unknown, walk: Walk, site: Site): void {
  if (typeof value === 'string') walk.applyReference(site.instance, value);
}

function requireProperties(names: unknown, walk: Walk, site: Site, instance: Record<string, unknown>): void {
  walk.spend(list(names).length >> 3);
  for (const name of list(names)) {
    if (typeof name === 'string' && !Object.hasOwn(instance, name)) {
      walk.fail(site, () => `${repr(name)} is a required property`);
    }
  }
}

function dependents(value: unknown, walk: Walk, site: Site, instance: Record<string, unknown>): void {
  if (!isJsonObject(value)) return;
  for (const name of walk.sharedKeys(value, instance)) {
    const dependency = value[name];
    if (!Array.isArray(dependency)) {
      walk.apply(instance, dependency);
      continue;
    }
    walk.spend(dependency.length >> 3);
    for (const needed of dependency) {
      if (typeof needed !== 'string' || Object.hasOwn(instance, needed)) continue;
      walk.fail(site, () => `${repr(needed)} is a dependency of ${repr(name)}`);
    }
  }
}

export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$ref', reference],
  ['$dynamicRef', reference],
  ['type', checkType],
  [
    'enum',
    (value, walk, site) => {
      if (!Array.isArray(value) || walk.holds(value, site.instance)) return;
      walk.fail(site, () => `${repr(site.instance)} is not one of ${repr(value)}`);
    },
  ],
  [
    'const',
    (value, walk, site) => {
      if (walk.canonical(value) !== walk.canonical(site.instance)) walk.fail(site, () => `${repr(value)} was expected`);
    },
  ],
  ['minimum', bound(below, 'less than the minimum')],
  ['maximum', bound(above, 'greater than the maximum')],
  ['exclusiveMinimum', bound((one, other) => one <= other, 'less than or equal to the minimum')],
  ['exclusiveMaximum', bound((one, other) => one >= other, 'greater than or equal to the maximum')],
  ['multipleOf', multipleOf],
  ['minLength', size(textLength, below, 'is too short', 1, 'should be non-empty')],
  ['maxLength', size(textLength, above, 'is too long', 0, 'is expected to be empty')],
  ['minItems', size(itemCount, below, 'is too short', 1, 'should be non-empty')],
  ['maxItems', size(itemCount, above, 'is too long', 0, 'is expected to be empty')],
  ['minProperties', size(propertyCount, below, 'does not have enough properties', 1, 'should be non-empty')],
  ['maxProperties', size(propertyCount, above, 'has too many properties', 0, 'is expected to be empty')],
  [
    'pattern',
    (value, walk, site) => {
      const { instance } = site;
      if (typeof value !== 'string' || typeof instance !== 'string' || walk.matches(value, instance)) return;
      walk.fail(site, () => `${repr(instance)} does not match ${repr(value)}`);
    },
  ],
  [
    'format',
    (value, walk, site) => {
      const { instance } = site;
      if (!walk.checksFormats || typeof value !== 'string' || typeof instance !== 'string') return;
      if (!fitsFormat(value, instance)) walk.fail(site, () => `${repr(instance)} is not a ${repr(value)}`);
    },
  ],
  [
    'uniqueItems',
    onArrays((value, walk, site, instance) => {
      if (value !== true || new Set(instance.map((item) => walk.canonical(item))).size === instance.length) return;
      walk.fail(site, () => `${repr(instance)} has non-unique elements`);
    }),
  ],
  [
    'prefixItems',
    onArrays((value, walk, _site, instance) => {
      for (const [index, schema] of list(value).slice(0, instance.length).entries()) {
        walk.descend(instance[index], schema, index);
      }
    }),
  ],
  ['items', items],
  ['contains', contains],
  ['unevaluatedItems', onArrays(failUnevaluatedItems)],
  [
    'properties',
    onObjects((value, walk, _site, instance) => {
      if (!isJsonObject(value)) return;
      for (const name of walk.sharedKeys(value, instance)) walk.descend(instance[name], value[name], name);
    }),
  ],
  [
    'patternProperties',
    onObjects((value, walk, _site, instance) => {
      for (const [pattern, schema] of entries(value)) {
        for (const name of keysInOrder(instance)) {
          if (walk.matches(pattern, name)) walk.descend(instance[name], schema, name);
        }
      }
    }),
  ],
  ['additionalProperties', additionalProperties],
  [
    'propertyNames',
    onObjects((value, walk, _site, instance) => {
      for (const name of keysInOrder(instance)) walk.applyElsewhere(name, value);
    }),
  ],
  ['required', onObjects(requireProperties)],
  ['dependentRequired', onObjects(dependents)],
  ['dependentSchemas', onObjects(dependents)],
  ['unevaluatedProperties', onObjects(failUnevaluatedProperties)],
  [
    'allOf',
    (value, walk, site) => {
      for (const schema of list(value)) walk.apply(site.instance, schema);
    },
  ],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  [
    'not',
    (value, walk, site) => {
      if (!walk.fits(site.instance, value)) return;
      walk.fail(site, () => `${repr(site.instance)} should not be valid under ${repr(value)}`);
    },
  ],
  [
    'if',
    (value, walk, site) => {
      const branch = site.schema[walk.fits(site.instance, value) ? 'then' : 'else'];
      if (branch !== undefined) walk.apply(site.instance, branch);
    },
  ],
]);
