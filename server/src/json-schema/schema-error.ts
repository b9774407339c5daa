/** The errors of a value under a schema, and the choice of the one to show. */

type Step = string | number;

/** One way in which a value does not fit. */
export interface SchemaError {
  /** The failing keyword; undefined for the schema `false`. */
  readonly keyword: string | undefined;
  /** Keys and indexes below the value of the parent error, or below the whole value. */
  readonly path: readonly Step[];
  /** The message of Python's `jsonschema`. It is made when it is read, because few errors are shown. */
  readonly message: string;
  /** The errors of each branch of a union; empty for other keywords. */
  readonly context: readonly SchemaError[];
  /** True if the value at least has the type that the failing schema requires. */
  readonly fitsType: boolean;
}

export class LazySchemaError implements SchemaError {
  readonly keyword: string | undefined;
  readonly path: readonly Step[];
  readonly context: readonly SchemaError[];
  readonly #describe: () => string;
  readonly #fitsType: () => boolean;

  constructor(
    keyword: string | undefined,
    path: readonly Step[],
    describe: () => string,
    fitsType: () => boolean,
    context: readonly SchemaError[],
  ) {
    this.keyword = keyword;
    this.path = path;
    this.context = context;
    this.#describe = describe;
    this.#fitsType = fitsType;
  }

  get message(): string {
    return this.#describe();
  }

  get fitsType(): boolean {
    return this.#fitsType();
  }
}

/** The schema cannot be applied: a reference leads nowhere or in a circle, or the work exceeds its limit. */
export class SchemaFault extends Error {
  readonly kind: 'reference' | 'circular' | 'too large';
  constructor(kind: SchemaFault['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The one error to show: its message, and the path from the whole value. */
interface BestMatch {
  readonly message: string;
  readonly path: readonly Step[];
}

/**
 * The most likely error: the one nearest to the whole value, and inside a union the deepest one, unless two branches
 * are equally likely. Undefined if there are no errors. Source: documentation of Python's `jsonschema`, `best_match`.
 */
export function bestMatch(errors: readonly SchemaError[]): BestMatch | undefined {
  let best = errors[0];
  if (!best) return undefined;
  for (const error of errors) if (compareRelevance(error, best) > 0) best = error;
  const path = [...best.path];
  while (best.context.length > 0) {
    const [first, second] = twoLeastRelevant(best.context);
    if (!first || (second && compareRelevance(first, second) === 0)) break;
    best = first;
    path.push(...best.path);
  }
  return { message: best.message, path };
}

/** The two errors that come first in the order; of equal ones the earlier comes first. */
function twoLeastRelevant(errors: readonly SchemaError[]): readonly [SchemaError?, SchemaError?] {
  let first: SchemaError | undefined;
  let second: SchemaError | undefined;
  for (const error of errors) {
    if (!first || compareRelevance(error, first) < 0) {
      second = first;
      first = error;
    } else if (!second || compareRelevance(error, second) < 0) {
      second = error;
    }
  }
  return [first, second];
}

const WEAK_KEYWORDS: ReadonlySet<string | undefined> = new Set(['anyOf', 'oneOf']);

function compareRelevance(one: SchemaError, other: SchemaError): number {
  return (
    other.path.length - one.path.length ||
    comparePaths(one.path, other.path) ||
    Number(!WEAK_KEYWORDS.has(one.keyword)) - Number(!WEAK_KEYWORDS.has(other.keyword)) ||
    Number(!one.fitsType) - Number(!other.fitsType)
  );
}

function comparePaths(one: readonly Step[], other: readonly Step[]): number {
  for (const [index, step] of one.entries()) {
    const counterpart = other[index];
    if (counterpart === undefined || step === counterpart) continue;
    return step < counterpart ? -1 : 1;
  }
  return 0;
}

/** A path in the form of a refusal: `a.b[2]`, `$['my-key']`. Empty for the whole value. */
export function fieldName(path: readonly Step[]): string {
  const name = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    if (/^[a-zA-Z][a-zA-Z0-9_]*$/.test(step)) return `.${step}`;
    return `['${step.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
  });
  const text = name.join('');
  return text.startsWith('.') ? text.slice(1) : text && `$${text}`;
}
