/**
 * Converts a JSON schema of Pydantic and Prefect to one that a form can draw: references are resolved, null is a
 * property of a field instead of a branch of a union, and a value without a suitable field is edited as JSON.
 */
import type { RJSFSchema, UiSchema } from '@rjsf/utils';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type FormValues = Readonly<Record<string, unknown>>;

export interface FormSchema {
  /** Has no fields if the form would be too large for a page. */
  readonly schema: RJSFSchema;
  readonly ui: UiSchema;
  /** Fields for which null means the same as absence; the server may refuse the null. */
  readonly optional: ReadonlySet<string>;
  /** True if all values are edited together, as JSON. */
  readonly isTooLarge: boolean;
}

interface Built {
  readonly schema: JsonSchema;
  readonly ui: UiSchema;
}

/**
 * Limits the drawing cost of schemas, which others write. The unit is a line of text; a field, a branch and a choice
 * cost what drawing them costs. A parameter that does not fit is edited as JSON.
 */
const MOST_WORK = 600;
const JSON_WORK = 10;
/** The form compares a value with all branches at each rendering. */
const BRANCH_WORK = 10;
/** Cost limit for the choices of one list. */
const CHOICES_OF_ONE_WORK = 20;

class TooLarge extends Error {}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * The keywords that a form checks during typing, each in linear time. The server checks the others. `pattern` is one of
 * those, because the browser's own engine may take forever.
 */
const CHECKED = [
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'readOnly',
] as const;
const CHECKED_FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
  // Checks nothing, because the text is hidden.
  'password',
]);

export function formSchemaOf(source: JsonSchema): FormSchema {
  const properties = objectOf(source['properties']);
  const optional = new Set(Object.keys(properties).filter((name) => objectOf(properties[name])['default'] === null));
  try {
    const { schema, ui } = new Builder(source).build({ type: 'object', ...source }, []);
    return { schema: { ...schema, title: undefined, description: undefined }, ui, optional, isTooLarge: false };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { schema: {}, ui: {}, optional, isTooLarge: true };
  }
}

/** True if the values need more fields than a page can draw: each item of a list has its own. */
export function isOnlyJson({ schema, isTooLarge }: FormSchema, value: FormValues): boolean {
  return isTooLarge || workOf(schema, value, MOST_WORK) <= 0;
}

/** The budget that is left after the fields of this value. */
function workOf(schema: unknown, value: unknown, work: number): number {
  if (work <= 0) return work;
  const { type, properties, items, anyOf, minItems, default: fallback } = objectOf(schema);
  const given = value ?? fallback;
  let left = work - 1;
  for (const branch of Array.isArray(anyOf) ? anyOf : []) left = workOf(branch, given, left);
  if ([type].flat().includes('array')) {
    const values = Array.isArray(given) ? given : [];
    const count = Math.max(values.length, Number(minItems ?? 0));
    for (let index = 0; index < count && left > 0; index++) left = workOf(items, values[index], left);
  }
  for (const [name, property] of Object.entries(objectOf(properties))) {
    left = workOf(property, objectOf(given)[name], left);
  }
  return left;
}

class Builder {
  readonly #root: JsonSchema;
  #work = 0;
  #depth = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  #spend(work: number): void {
    this.#work += work;
    if (this.#work > MOST_WORK) throw new TooLarge();
  }

  /** A parameter that costs too much is edited as JSON; too many parameters throw. */
  #parameter(given: unknown, open: readonly string[]): Built {
    const before = this.#work;
    try {
      return this.build(given, open);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      this.#work = before;
      this.#depth = 1;
      return this.#json(objectOf(given));
    }
  }

  #json({ title, description, default: fallback }: JsonSchema): Built {
    this.#spend(JSON_WORK);
    const schema = {
      title,
      description,
      ...(fallback === undefined || fallback === null ? {} : { default: fallback }),
    };
    return { schema, ui: { 'ui:field': 'json' } };
  }

  /** `open` are the references that lead to this node, because a type may contain itself. */
  build(given: unknown, open: readonly string[]): Built {
    this.#depth += 1;
    // Deeper nodes cost more, because each union around them also evaluates them.
    this.#spend(this.#depth - 1);
    const built = this.#build(given, open);
    this.#depth -= 1;
    return built;
  }

  #build(given: unknown, open: readonly string[]): Built {
    const { node, path } = this.#resolved(objectOf(given), open);
    if (!node) return this.#json(objectOf(given));
    const { title, description } = node;
    const fallback = node['default'];
    const about = { title, description, ...(fallback === undefined || fallback === null ? {} : { default: fallback }) };
    const slug = node['block_type_slug'];
    if (typeof slug === 'string') {
      return { schema: { ...about, type: ['object', 'null'] }, ui: { 'ui:field': 'block', 'ui:options': { slug } } };
    }
    const union = branchesOf(node);
    if (union) return this.#union(union, about, path);
    const { type, isNullable } = typeOf(node);
    const emptied = { 'ui:emptyValue': isNullable && about.default !== undefined ? null : undefined };
    if (Array.isArray(node['enum'])) {
      this.#spend(node['enum'].length / CHOICES_OF_ONE_WORK);
      const values = node['enum'].filter((value) => value !== null);
      return {
        schema: { ...about, enum: isNullable ? [...values, null] : values },
        ui: { 'ui:widget': 'choice', ...emptied },
      };
    }
    if (SCALARS.has(type)) {
      const checked = Object.fromEntries(CHECKED.flatMap((name) => (name in node ? [[name, node[name]]] : [])));
      const format = CHECKED_FORMATS.has(node['format']) ? { format: node['format'] } : {};
      return { schema: { ...checked, ...format, ...about, type: isNullable ? [type, 'null'] : type }, ui: emptied };
    }
    if (type === 'array') return this.#array(node, about, isNullable, path);
    if (type === 'object' && node['properties'])
      return this.#object(node, about, isNullable || fallback === null, path);
    return this.#json(node);
  }

  #resolved(given: JsonSchema, open: readonly string[]): { node?: JsonSchema; path: readonly string[] } {
    let node = given;
    let path = open;
    for (;;) {
      const { $ref: reference, allOf, ...rest } = node;
      if (typeof reference === 'string') {
        if (path.includes(reference)) return { path };
        this.#spend(1);
        path = [...path, reference];
        const { position: _, ...target } = objectOf(targetOf(this.#root, reference));
        node = { ...target, ...rest };
      } else if (Array.isArray(allOf) && allOf.length === 1) node = { ...objectOf(allOf[0]), ...rest };
      else return { node, path };
    }
  }

  #union(branches: readonly JsonSchema[], about: JsonSchema, path: readonly string[]): Built {
    const others = branches.filter(({ type }) => type !== 'null');
    const isNullable = others.length < branches.length;
    const [only] = others;
    if (others.length === 1 && only) {
      const resolved = this.#resolved(only, path).node;
      const merged = { ...only, ...about };
      const isObject = resolved?.['properties'] !== undefined && resolved['block_type_slug'] === undefined;
      if (isObject || !resolved) return this.#nullableObject(merged, about, path);
      const type = resolved['type'];
      return this.build(
        isNullable && typeof type === 'string' ? { ...resolved, ...about, type: [type, 'null'] } : merged,
        path,
      );
    }
    this.#spend(others.length * BRANCH_WORK);
    const built = others.map((branch) => this.build(branch, path));
    if (built.some(({ schema }) => schema['type'] === undefined && schema['enum'] === undefined))
      return this.#json(about);
    const named = built.map(({ schema }) => ({
      ...schema,
      title: schema['title'] ?? schema['format'] ?? nameOf(schema),
    }));
    const uis = built.map(({ ui }) => nameless(ui));
    return {
      schema: { ...about, anyOf: isNullable ? [NONE, ...named] : named },
      ui: { anyOf: isNullable ? [{}, ...uis] : uis },
    };
  }

  /** Without a value it has no fields; choosing its type shows them. */
  #nullableObject(node: JsonSchema, about: JsonSchema, path: readonly string[]): Built {
    const { default: _, ...plain } = node;
    const { schema, ui } = this.build(plain, path);
    // For example, `#/definitions/Address`.
    const title = this.#resolved(plain, path).path.at(-1)?.split('/').at(-1);
    return {
      schema: { ...about, anyOf: [NONE, { ...schema, title: title ?? 'Value' }] },
      ui: { anyOf: [{}, nameless(ui)] },
    };
  }

  #array(node: JsonSchema, about: JsonSchema, isNullable: boolean, path: readonly string[]): Built {
    const { items } = node;
    if (typeof items !== 'object' || items === null || Array.isArray(items)) return this.#json(node);
    const built = this.build(items, path);
    if (built.ui['ui:field'] === 'json') return this.#json(node);
    const { minItems, maxItems } = node;
    const type = isNullable ? ['array', 'null'] : 'array';
    // The server checks that values are distinct; a form would draw them as checkboxes.
    return { schema: { ...about, type, items: built.schema, minItems, maxItems }, ui: { items: nameless(built.ui) } };
  }

  #object(node: JsonSchema, about: JsonSchema, isNullable: boolean, path: readonly string[]): Built {
    if (isNullable) return this.#nullableObject({ ...node, type: 'object' }, about, path);
    const properties = objectOf(node['properties']);
    const given = Object.entries(properties);
    const placeOf = (property: unknown) => Number(objectOf(property)['position'] ?? Number.POSITIVE_INFINITY);
    const ordered = given.toSorted(([, left], [, right]) => compare(placeOf(left), placeOf(right)));
    const isOfRoot = this.#depth === 1;
    const fields = ordered.map(
      ([name, property]) => [name, isOfRoot ? this.#parameter(property, path) : this.build(property, path)] as const,
    );
    return {
      schema: {
        ...about,
        type: 'object',
        required: Array.isArray(node['required'])
          ? node['required'].filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
          : undefined,
        properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
      },
      ui: Object.fromEntries(fields.map(([name, { ui }]) => [name, ui])),
    };
  }
}

/** `layout` of a field that is drawn without a name. */
export const NAMELESS = 'nameless';

const NONE = { type: 'null', title: 'None' };

/** The branch of a union and the item of a list are drawn beside the name of the field around them. */
function nameless(ui: UiSchema): UiSchema {
  return { ...ui, 'ui:options': { ...objectOf(ui['ui:options']), layout: NAMELESS } };
}

function branchesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined {
  const branches = anyOf ?? oneOf;
  return Array.isArray(branches) && branches.length > 0 ? branches.map(objectOf) : undefined;
}

function typeOf({ type, enum: values }: JsonSchema): { type: unknown; isNullable: boolean } {
  const isNullable = Array.isArray(values) && values.includes(null);
  if (!Array.isArray(type)) return { type, isNullable };
  const others = type.filter((one) => one !== 'null');
  return { type: others.length === 1 ? others[0] : undefined, isNullable: isNullable || others.length < type.length };
}

function nameOf({ type, enum: values }: JsonSchema): unknown {
  return (Array.isArray(type) ? type[0] : type) ?? (values ? 'choice' : 'value');
}

/** The target of `#/definitions/Address` in the schema itself; undefined for any other reference. */
function targetOf(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const parts = reference.slice(2).split('/');
  return parts.reduce<unknown>((node, part) => objectOf(node)[part.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}

export function objectOf(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}

function compare(left: number, right: number): number {
  return left === right ? 0 : left - right;
}
