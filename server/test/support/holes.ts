/** Where a request can name an object: every id and every free text of a body, found in the OpenAPI document. */

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | boolean;
}

/** A position in a body that takes an id or a text, or a list of them; `fill` makes the smallest body around it. */
export interface Hole {
  readonly place: string;
  readonly kind: 'id' | 'text';
  readonly takesMany: boolean;
  fill(value: unknown): unknown;
}

/** `own` names objects of the caller for other ids that a body needs, such as `flow_id`. */
export class Holes {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #own: Readonly<Record<string, string>>;
  readonly #time = new Date(Date.now() + 3_600_000).toISOString();

  constructor({ components }: Document, own: Readonly<Record<string, string>>) {
    this.#schemas = components.schemas;
    this.#own = own;
  }

  of(operation: Operation): Hole[] {
    const schema = bodyOf(operation);
    return schema ? [...this.#in(schema, '', new Set())] : [];
  }

  /** The smallest body that fits. */
  sampleOf(operation: Operation): unknown {
    const schema = bodyOf(operation);
    return schema && this.#sample(schema, '');
  }

  /** Whether a parameter takes an id or a text; undefined for numbers, choices and the like. */
  kindOf(schema: Schema): Hole['kind'] | undefined {
    const [hole] = this.#in(schema, '', new Set());
    return hole?.kind;
  }

  *#in(schema: Schema, place: string, above: ReadonlySet<string>): Iterable<Hole> {
    if (schema.$ref !== undefined) {
      if (!above.has(schema.$ref)) yield* this.#in(this.#resolve(schema), place, new Set([...above, schema.$ref]));
      return;
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
      yield* this.#in(part, place, above);
    }
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      for (const hole of this.#in(property, `${place}.${name}`, above)) {
        yield { ...hole, fill: (value) => ({ ...this.#required(schema, name), [name]: hole.fill(value) }) };
      }
    }
    if (typeof schema.additionalProperties === 'object') {
      for (const hole of this.#in(schema.additionalProperties, `${place}.*`, above)) {
        yield { ...hole, fill: (value) => ({ 'prefect.resource.id': hole.fill(value) }) };
      }
    }
    if (typeof schema.items === 'object') yield* this.#inList(schema.items, place, above);
    const kind = kindOf(schema);
    if (kind) yield { place, kind, takesMany: false, fill: (value) => value };
  }

  *#inList(items: Schema, place: string, above: ReadonlySet<string>): Iterable<Hole> {
    const kind = kindOf(this.#resolve(items));
    if (kind) yield { place: `${place}[]`, kind, takesMany: true, fill: (value) => value };
    else
      for (const hole of this.#in(items, `${place}[]`, above)) yield { ...hole, fill: (value) => [hole.fill(value)] };
  }

  #required(schema: Schema, except: string): object {
    const names = Object.entries(schema.properties ?? {}).filter(
      ([name, property]) =>
        name !== except &&
        (schema.required?.includes(name) || name === 'name' || this.#resolve(property).const !== undefined),
    );
    return Object.fromEntries(names.map(([name, property]) => [name, this.#sample(property, name)]));
  }

  #sample(given: Schema, name: string): unknown {
    const schema = this.#resolve(given);
    const [part] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (part) return this.#sample(part, name);
    switch (schema.type) {
      case 'object':
        if (typeof schema.additionalProperties === 'object') return { 'prefect.resource.id': 'own-sample' };
        return this.#required(schema, '');
      case 'array':
        return typeof schema.items === 'object' ? [this.#sample(schema.items, name)] : [];
      case 'integer':
      case 'number':
        return 1;
      case 'boolean':
        return true;
      case 'string':
        if (schema.format === 'date-time') return this.#time;
        if (schema.format === 'duration') return 1;
        return this.#own[name] ?? 'own-sample';
      default:
        return null;
    }
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : this.#resolve(this.#schemas[name] ?? {});
  }
}

/** Undefined where the body is bytes, or there is none. */
function bodyOf({ requestBody }: Operation): Schema | undefined {
  return Object.values(requestBody?.content ?? {})[0]?.schema;
}

function kindOf({ type, format, enum: values, const: constant }: Schema): Hole['kind'] | undefined {
  if (type !== 'string' || values || constant !== undefined) return undefined;
  if (format === 'uuid') return 'id';
  return format === undefined ? 'text' : undefined;
}
