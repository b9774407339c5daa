import { isJsonObject, keysInOrder } from '../json.ts';
import { pythonRepr } from './python-text.ts';
import { findNames, type Names, resolveReference } from './references.ts';
import { LazySchemaError, type SchemaError, SchemaFault } from './schema-error.ts';
import { isOfType, typesOf, UnknownContent } from './types.ts';

type Step = string | number;

/** Schemas applied to values, all in all; far above what parameters of the largest size need. */
const MAX_STEPS = 1_000_000;
/** Schemas inside each other and values inside each other. Source: Python's own limit is of this size. */
const MAX_DEPTH = 900;

/** A schema that is applied to a value. */
export interface Site {
  readonly keyword: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly instance: unknown;
}

/** Applies one keyword with its value. What has not the form the keyword asks for is ignored. */
export type Keyword = (value: unknown, walk: Walk, site: Site) => void;

/** One validation: a walk over a schema and a value at once. Keywords of a schema are applied in its own order. */
export class Walk {
  readonly checksFormats: boolean;
  readonly #keywords: ReadonlyMap<string, Keyword>;
  #document: unknown;
  #names: Names | undefined;
  #errors: SchemaError[] = [];
  readonly #path: Step[] = [];
  /** Where the path of the errors that are being collected begins. */
  #base = 0;
  #stopsAtFirst = false;
  #steps = 0;
  #depth = 0;
  /** Changes with each step to another value; two references in one place make a circle when they are the same. */
  #place = 0;
  #places = 0;
  readonly #references: { readonly target: unknown; readonly place: number }[] = [];

  constructor(document: unknown, keywords: ReadonlyMap<string, Keyword>, checksFormats: boolean) {
    this.#keywords = keywords;
    this.#document = document;
    this.checksFormats = checksFormats;
  }

  /** Everything that is wrong with `instance`. Throws SchemaFault. */
  errors(instance: unknown, schema: unknown): SchemaError[] {
    this.apply(instance, schema);
    return this.#errors;
  }

  /** Applies a schema to the value the walk is at. */
  apply(instance: unknown, schema: unknown): void {
    if (this.#isDone()) return;
    if (instance instanceof UnknownContent) {
      const { fault } = instance;
      if (fault === undefined) return;
      this.#errors.push(
        new LazySchemaError(
          undefined,
          this.#path.slice(this.#base),
          () => fault,
          () => false,
          [],
        ),
      );
      return;
    }
    if (schema === true) return;
    if (schema === false) {
      const describe = () => `False schema does not allow ${pythonRepr(instance)}`;
      this.#errors.push(new LazySchemaError(undefined, this.#path.slice(this.#base), describe, () => false, []));
      return;
    }
    // A schema that is no schema asks for nothing.
    if (!isJsonObject(schema)) return;
    if (++this.#steps > MAX_STEPS) throw new SchemaFault('too large', 'The schema is too large to be applied.');
    if (++this.#depth > MAX_DEPTH)
      throw new SchemaFault('circular', 'Unable to validate schema with circular references.');
    for (const keyword of keysInOrder(schema)) {
      if (this.#isDone()) break;
      this.#keywords.get(keyword)?.(schema[keyword], this, { keyword, schema, instance });
    }
    this.#depth--;
  }

  #isDone(): boolean {
    return this.#stopsAtFirst && this.#errors.length > 0;
  }

  /** Applies a schema to a part of the value; errors name the step. */
  descend(part: unknown, schema: unknown, step: Step): void {
    // The refusal of `false` names the whole and not the part, as Python's does.
    if (schema === false) {
      this.apply(part, false);
      return;
    }
    this.#path.push(step);
    this.#elsewhere(() => this.apply(part, schema));
    this.#path.pop();
  }

  /** Applies a schema to another value at the same path, such as the name of a property. */
  applyElsewhere(instance: unknown, schema: unknown): void {
    this.#elsewhere(() => this.apply(instance, schema));
  }

  #elsewhere(work: () => void): void {
    const place = this.#place;
    this.#place = ++this.#places;
    work();
    this.#place = place;
  }

  /** Errors of a schema on the same value, kept apart: their paths begin here. */
  collect(instance: unknown, schema: unknown): SchemaError[] {
    return this.#collect(instance, schema, false);
  }

  /** Looks no further than the first error, so a faulty reference behind it is not found. */
  fits(instance: unknown, schema: unknown): boolean {
    return this.#collect(instance, schema, true).length === 0;
  }

  #collect(instance: unknown, schema: unknown, stopsAtFirst: boolean): SchemaError[] {
    const outer = [this.#errors, this.#base, this.#stopsAtFirst] as const;
    [this.#errors, this.#base, this.#stopsAtFirst] = [[], this.#path.length, stopsAtFirst];
    this.apply(instance, schema);
    const collected = this.#errors;
    [this.#errors, this.#base, this.#stopsAtFirst] = outer;
    return collected;
  }

  /** `fits` for a part of the value. */
  partFits(part: unknown, schema: unknown): boolean {
    let fits = false;
    this.#elsewhere(() => {
      fits = this.fits(part, schema);
    });
    return fits;
  }

  fail(site: Site, describe: () => string, context: readonly SchemaError[] = []): void {
    const { keyword, schema, instance } = site;
    const fitsType = () => typesOf(schema['type']).some((type) => isOfType(instance, type));
    this.#errors.push(new LazySchemaError(keyword, this.#path.slice(this.#base), describe, fitsType, context));
  }

  /** What a reference names. Throws SchemaFault. */
  resolve(reference: string): unknown {
    return this.#lookUp(reference).schema;
  }

  /** Applies the schema that a reference names. Throws SchemaFault, also when that leads back to the same place. */
  applyReference(instance: unknown, reference: string): void {
    const { schema, document } = this.#lookUp(reference);
    const place = this.#place;
    for (let index = this.#references.length - 1; index >= 0 && this.#references[index]?.place === place; index--) {
      if (this.#references[index]?.target === schema && typeof schema === 'object') {
        throw new SchemaFault('circular', 'Unable to validate schema with circular references.');
      }
    }
    const [outer, names] = [this.#document, this.#names];
    if (document !== outer) [this.#document, this.#names] = [document, undefined];
    this.#references.push({ target: schema, place });
    this.apply(instance, schema);
    this.#references.pop();
    [this.#document, this.#names] = [outer, names];
  }

  #lookUp(reference: string) {
    return resolveReference(reference, this.#document, () => {
      this.#names ??= findNames(this.#document);
      return this.#names;
    });
  }
}
