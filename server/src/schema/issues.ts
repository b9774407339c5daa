/**
 * The report of values that do not fit, which all decoders share. A decoder returns `REFUSED` and leaves one or more
 * issues in the report; each level above puts its key in front of their `loc`, so valid values cost no paths.
 */
import type { ValidationIssue } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';

export const REFUSED = Symbol('refused');

interface DraftIssue {
  readonly type: string;
  readonly loc: (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The issues of all branches of a union, shared by every place that led to the same value. */
interface IssueGroup {
  readonly loc: (string | number)[];
  readonly all: readonly (DraftIssue | IssueGroup)[];
}

/**
 * The most issues in an answer. Unions inside unions repeat the inner issues under each branch, which can double their
 * number with every level.
 */
const MOST_ISSUES = 10_000;

/** The quality of a fit, from exact to lax: the best branch of a union wins. Source: reference, unions. */
export const EXACT = 2;
export const STRICT = 1;
export const LAX = 0;

/** The result of decoding a value at a union, kept while one request is decoded. */
type UnionMemory = Map<unknown, { readonly value: unknown; readonly report: Report }>;

export class Report {
  readonly issues: (DraftIssue | IssueGroup)[] = [];
  /** The worst fit so far. */
  exactness = EXACT;
  /** Number of fields given to the objects seen so far; undefined if there was no object. */
  fieldsGiven: number | undefined = undefined;

  #unions: Map<Decoder, UnionMemory> | undefined;

  constructor(unions?: Map<Decoder, UnionMemory>) {
    this.#unions = unions;
  }

  /** Results by union, shared by all attempts at one request. */
  get unions(): Map<Decoder, UnionMemory> {
    this.#unions ??= new Map();
    return this.#unions;
  }

  refuse(type: string, msg: string, input: unknown, ctx?: Readonly<Record<string, unknown>>): typeof REFUSED {
    this.issues.push(ctx === undefined ? { type, loc: [], msg, input } : { type, loc: [], msg, input, ctx });
    return REFUSED;
  }

  /** True when the answer has room for no more issues, so the rest of a long list is not checked. */
  get isFull(): boolean {
    return this.issues.length >= MOST_ISSUES;
  }

  /** Puts `key` in front of the `loc` of every issue from number `from` on. */
  within(key: string | number, from: number): void {
    for (let index = from; index < this.issues.length; index++) this.issues[index]?.loc.unshift(key);
  }

  /** The issues as the answer lists them, with `location` in front of each `loc`. */
  told(location: string): ValidationIssue[] {
    const told: ValidationIssue[] = [];
    tell(this.issues, [location], told);
    return told;
  }

  lower(exactness: number): void {
    if (exactness < this.exactness) this.exactness = exactness;
  }
}

function tell(issues: readonly (DraftIssue | IssueGroup)[], place: (string | number)[], told: ValidationIssue[]): void {
  for (const issue of issues) {
    if (told.length === MOST_ISSUES) return;
    const loc = [...place, ...issue.loc];
    if ('all' in issue) tell(issue.all, loc, told);
    else told.push({ ...issue, loc });
  }
}

/** Returns the decoded value, or `REFUSED` after adding issues to the report. */
export type Decoder = (input: unknown, report: Report) => unknown;

export { isJsonObject as isObject };

export function plural(count: number): string {
  return count === 1 ? '' : 's';
}
