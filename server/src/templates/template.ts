/**
 * Templates that users write, in the language of Jinja 2. They are interpreted, not compiled to code. They reach only
 * the values of the host that were passed in, and their time and memory are bounded.
 *
 * Not supported: macros, inheritance, inclusion, imports, recursive loops; names that begin with two underscores.
 */
import { type Allowance, withAllowance } from './budget.ts';
import { Evaluator } from './evaluate.ts';
import type { Filters } from './filter.ts';
import { Namespace } from './scope-objects.ts';
import { parse } from './syntax/parser.ts';
import type { Expression, Statement } from './syntax/syntax-tree.ts';
import { TemplateRuntimeError, TemplateSyntaxError } from './syntax/template-error.ts';
import { TemplateFunction, tuple, type Value, wholeNumber } from './values.ts';

/** Source: `POST /templates/validate` of the Prefect server 3.9.1. */
const MAX_LOOPS = 10;
const MAX_LOOP_DEPTH = 2;
const MAX_RANGE = 100;
/** Characters of a template. */
const MAX_LENGTH = 200_000;
/** Units that a rendering may spend; see budget.ts. About half a second. */
export const DEFAULT_ALLOWANCE = 500_000;

export interface RenderOptions {
  readonly context?: ReadonlyMap<string, Value>;
  /** Filters in addition to Jinja's own. */
  readonly filters?: Filters;
  /** Shared by all renderings of one request; without it each rendering has a full allowance. */
  readonly allowance?: Allowance;
}

/** A text without tags is not a template and stays unchanged. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}

export class Template {
  readonly #statements: readonly Statement[];
  readonly #source: string;

  /** Throws TemplateSyntaxError, also for too many loops. */
  constructor(source: string) {
    this.#source = source;
    if (source.length > MAX_LENGTH) throw new TemplateSyntaxError('the template is too long');
    this.#statements = isTemplate(source) ? parseWithinStack(source) : [];
    checkLoops(this.#statements);
  }

  /** Throws TemplateRuntimeError. */
  render(options: RenderOptions = {}): string {
    if (!isTemplate(this.#source)) return this.#source;
    return withAllowance(allowanceOf(options), () => this.#evaluator(options).render(this.#statements));
  }

  /** The value of a template that is one expression, `{{ x }}`, with its type; undefined for any other template. */
  value(options: RenderOptions = {}): Value | undefined {
    const [only, ...others] = this.#statements;
    if (only?.kind !== 'print' || others.length > 0) return undefined;
    return withAllowance(allowanceOf(options), () => this.#evaluator(options).value(only.expression));
  }

  /** All names that the template reads, so that a costly value is looked up only if a template uses it. */
  names(): ReadonlySet<string> {
    const names = new Set<string>();
    collectFrom(this.#statements, names);
    return names;
  }

  #evaluator({ context, filters }: RenderOptions): Evaluator {
    return new Evaluator(new Map([...globals, ...(context ?? [])]), filters ?? new Map());
  }
}

function allowanceOf({ allowance }: RenderOptions): Allowance {
  return allowance ?? { units: DEFAULT_ALLOWANCE };
}

function parseWithinStack(source: string): Statement[] {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateSyntaxError('the template is nested too deeply');
  }
}

const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new TemplateFunction('range', ({ positional }) => range(positional))],
  [
    'dict',
    new TemplateFunction('dict', ({ positional: [from], named }) => {
      const given = from instanceof Map ? (from as ReadonlyMap<Value, Value>) : new Map<Value, Value>();
      return new Map<Value, Value>([...given, ...named]);
    }),
  ],
  ['namespace', new TemplateFunction('namespace', (given) => new Namespace(given))],
]);

function range(given: readonly Value[]): Value {
  const [first = 0, second, step = 1] = given.map((value) => wholeNumber(value, "'range' argument"));
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new TemplateRuntimeError('ValueError', 'range() arg 3 must not be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > MAX_RANGE) {
    const reason = `Range too big. The sandbox blocks ranges larger than MAX_TEMPLATE_RANGE=${MAX_RANGE}.`;
    throw new TemplateRuntimeError('OverflowError', reason);
  }
  return tuple(...Array.from({ length: count }, (_, index) => BigInt(start + index * step)));
}

function checkLoops(statements: readonly Statement[]): void {
  const { count, depth } = loopsOf(statements);
  if (count > MAX_LOOPS) {
    throw new TemplateSyntaxError(
      `Contains ${count} for loops. Templates can contain no more than ${MAX_LOOPS} for loops.`,
    );
  }
  if (depth > MAX_LOOP_DEPTH) {
    throw new TemplateSyntaxError(
      `Contains nested for loops at a depth of ${depth}. Templates can nest for loops no more than ${MAX_LOOP_DEPTH} loops deep.`,
    );
  }
}

function loopsOf(statements: readonly Statement[]): { count: number; depth: number } {
  let [count, depth] = [0, 0];
  for (const statement of statements) {
    const inner = loopsOf(bodiesOf(statement).flat());
    const own = statement.kind === 'for' ? 1 : 0;
    count += inner.count + own;
    depth = Math.max(depth, inner.depth + own);
  }
  return { count, depth };
}

function bodiesOf(statement: Statement): readonly (readonly Statement[])[] {
  switch (statement.kind) {
    case 'if':
      return [...statement.branches.map(({ body }) => body), statement.otherwise];
    case 'for':
      return [statement.body, statement.otherwise];
    case 'capture':
    case 'with':
    case 'filter_block':
      return [statement.body];
    default:
      return [];
  }
}

/** Expressions are plain data, so every object of the kind `name` inside a statement is a name that is read. */
function collectFrom(part: unknown, names: Set<string>): void {
  if (Array.isArray(part)) {
    for (const item of part) collectFrom(item, names);
  } else if (typeof part === 'object' && part !== null) {
    const { kind, name } = part as Partial<Extract<Expression, { kind: 'name' }>>;
    if (kind === 'name' && name !== undefined) names.add(name);
    for (const value of Object.values(part)) collectFrom(value, names);
  }
}
