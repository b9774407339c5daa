import { evaluationWork } from '../fairness/foreign-work/request-work.ts';
import { isJsonObject, isRawNumber, keysInOrder } from '../values/json.ts';
import { pythonQuote } from '../values/python-text.ts';
import { compilePattern, type Pattern } from './patterns.ts';
import { findNames, type Names, resolveReference } from './references.ts';
import { LazySchemaError, type SchemaError, SchemaFault } from './schema-error.ts';
import { canonical, isOfType, typesOf, UnknownContent } from './types.ts';

type Step = string | number;

/**
 * The cost limit of one validation, in units of about 0.1 microseconds; far above the needs of the largest parameters.
 * Each loop over the content of the schema or the value is paid for before it runs, so no pair of the two costs more.
 */
const MAX_WORK = 3_000_000;
/** Units of the request's allowance (10 nanoseconds each) that one unit costs. */
const WORK_PER_UNIT = 10;
/** A pattern that costs more on one text is not checked. */
const MAX_MATCH_WORK = 400_000;
/** Each error is an object with a path and two closures, and all of them are kept. */
const ERROR_WORK = 16;
/** Nesting depth of schemas and of values. Source: Python's own limit is of this size. */
const MAX_DEPTH = 900;

/** A schema that is applied to a value. */
export interface Site {
  readonly keyword: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly instance: unknown;
}

/** Applies one keyword with its value. A value that has the wrong form for the keyword is ignored. */
export type Keyword = (value: unknown, walk: Walk, site: Site) => void;

/** One validation: a walk over a schema and a value together. The keywords of a schema are applied in its own order. */
export class Walk {
  readonly checksFormats: boolean;
  readonly #keywords: ReadonlyMap<string, Keyword>;
  #document: unknown;
  #names: Names | undefined;
  #errors: SchemaError[] = [];
  readonly #path: Step[] = [];
  /** The index at which the path of the collected errors begins. */
  #base = 0;
  #stopsAtFirst = false;
  readonly #whole = evaluationWork();
  readonly #mostWork = Math.min(MAX_WORK, Math.floor(this.#whole.left / WORK_PER_UNIT));
  #work = 0;
  #depth = 0;
  /** Patterns of this validation, so that none is compiled twice, however many there are. */
  readonly #patterns = new Map<string, Pattern>();
  /** The values of each `enum`, as texts that are equal for equal values. */
  readonly #enums = new Map<readonly unknown[], ReadonlySet<string>>();
  /** Changes with each step to another value. A reference that occurs twice in one place is a circle. */
  #place = 0;
  #places = 0;
  readonly #references: { readonly target: unknown; readonly place: number }[] = [];

  /** The position of each key of an object of the schema. */
  readonly #positions = new Map<object, ReadonlyMap<string, number>>();

  constructor(document: unknown, keywords: ReadonlyMap<string, Keyword>, checksFormats: boolean) {
    this.#keywords = keywords;
    this.#document = document;
    this.checksFormats = checksFormats;
  }

  /** All errors of `instance`. Throws SchemaFault. */
  errors(instance: unknown, schema: unknown): SchemaError[] {
    try {
      this.apply(instance, schema);
    } finally {
      this.#whole.count(this.#work * WORK_PER_UNIT);
    }
    return this.#errors;
  }

  /** Counts work. Throws SchemaFault when the validation exceeds its budget, or that of its request. */
  spend(units: number): void {
    this.#work += units;
    if (this.#work > this.#mostWork) throw new SchemaFault('too large', 'The schema is too large to be applied.');
  }

  /** True when `pattern` is found anywhere in `text`, or when the check takes too long. */
  matches(pattern: string, text: string): boolean {
    let compiled = this.#patterns.get(pattern);
    if (!compiled) {
      compiled = compilePattern(pattern);
      this.#patterns.set(pattern, compiled);
      this.spend(compiled.compileWork);
    }
    const work = compiled.matchWork(text);
    if (work > MAX_MATCH_WORK) return true;
    this.spend(1 + work);
    return compiled.matches(text);
  }

  /** True when `values`, an array of the schema, contains a value equal to `instance`. */
  holds(values: readonly unknown[], instance: unknown): boolean {
    let texts = this.#enums.get(values);
    if (!texts) {
      texts = new Set(values.map((value) => this.canonical(value)));
      this.#enums.set(values, texts);
    }
    return texts.has(this.canonical(instance));
  }

  /** The keys that `members`, an object of the schema, shares with `instance`, in the order of the schema. */
  sharedKeys(members: Readonly<Record<string, unknown>>, instance: Readonly<Record<string, unknown>>): string[] {
    let positions = this.#positions.get(members);
    if (!positions) {
      positions = new Map(keysInOrder(members).map((key, position) => [key, position]));
      this.#positions.set(members, positions);
      this.spend(2 * positions.size);
    }
    const known = positions;
    const names = keysInOrder(instance);
    this.spend(names.length);
    return names
      .filter((name) => known.has(name))
      .sort((one, other) => (known.get(one) ?? 0) - (known.get(other) ?? 0));
  }

  /** Returns equal texts for equal values. */
  canonical(value: unknown): string {
    return canonical(value, (units) => this.spend(units));
  }

  /** Applies a schema to the current value of the walk. */
  apply(instance: unknown, schema: unknown): void {
    if (this.#isDone()) return;
    if (instance instanceof UnknownContent) {
      const { fault } = instance;
      if (fault === undefined) return;
      this.#refuse(undefined, () => fault);
      return;
    }
    if (schema === true) return;
    if (schema === false) {
      this.#refuse(undefined, () => `False schema does not allow ${pythonQuote(instance)}`);
      return;
    }
    // A value that is not a schema adds no condition.
    if (!isJsonObject(schema)) return;
    const keys = keysInOrder(schema);
    this.spend(1 + keys.length * (1 + textWork(instance)));
    if (++this.#depth > MAX_DEPTH)
      throw new SchemaFault('circular', 'Unable to validate schema with circular references.');
    for (const keyword of keys) {
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
    // The refusal of `false` names the whole value, not the part, like Python's.
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

  /** Collects the errors of a schema on the same value separately, with paths that begin here. */
  collect(instance: unknown, schema: unknown): SchemaError[] {
    return this.#collect(instance, schema, false);
  }

  /** Stops at the first error, so a faulty reference after it is not found. */
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
    this.#refuse(keyword, describe, fitsType, context);
  }

  #refuse(
    keyword: string | undefined,
    describe: () => string,
    fitsType: () => boolean = () => false,
    context: readonly SchemaError[] = [],
  ): void {
    this.spend(ERROR_WORK + this.#path.length - this.#base);
    this.#errors.push(new LazySchemaError(keyword, this.#path.slice(this.#base), describe, fitsType, context));
  }

  /** The schema that a reference names. Throws SchemaFault. */
  resolve(reference: string): unknown {
    return this.#lookUp(reference).schema;
  }

  /**
   * Applies the schema that a reference names. Throws SchemaFault, also when the reference leads back to the same
   * place.
   */
  applyReference(instance: unknown, reference: string): void {
    const { schema, document } = this.#lookUp(reference);
    const place = this.#place;
    for (let index = this.#references.length - 1; index >= 0 && this.#references[index]?.place === place; index--) {
      this.spend(1);
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
    this.spend(1 + (reference.length >> 2));
    return resolveReference(reference, this.#document, () => {
      this.#names ??= findNames(this.#document, () => this.spend(1));
      return this.#names;
    });
  }
}

/** The cost of each keyword that reads a long text or a number of many digits. */
function textWork(instance: unknown): number {
  if (typeof instance === 'string') return instance.length >> 2;
  return isRawNumber(instance) ? instance.rawJSON.length >> 2 : 0;
}
