/**
 * What the decoders share: how a value that does not fit is reported. A decoder answers `REFUSED` and leaves one or more
 * issues in the report; each level above puts its key in front of their `loc`, so a value that fits costs no paths.
 */
import { isJsonObject } from '../json.ts';

export const REFUSED = Symbol('refused');

export interface DraftIssue {
  readonly type: string;
  readonly loc: (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** How well a value fits a schema: the branch of a union that fits best wins. Source: reference, unions. */
export const EXACT = 2;
export const STRICT = 1;
export const LAX = 0;

export class Report {
  readonly issues: DraftIssue[] = [];
  /** The worst fit so far. */
  exactness = EXACT;
  /** Fields that were given to the objects seen so far; undefined when there was no object. */
  fieldsGiven: number | undefined = undefined;

  refuse(type: string, msg: string, input: unknown, ctx?: Readonly<Record<string, unknown>>): typeof REFUSED {
    this.issues.push(ctx === undefined ? { type, loc: [], msg, input } : { type, loc: [], msg, input, ctx });
    return REFUSED;
  }

  /** Puts `key` in front of the place of every issue from number `from` on. */
  within(key: string | number, from: number): void {
    for (let index = from; index < this.issues.length; index++) this.issues[index]?.loc.unshift(key);
  }

  lower(exactness: number): void {
    if (exactness < this.exactness) this.exactness = exactness;
  }
}

/** Answers the decoded value, or `REFUSED` after telling the report why. */
export type Decoder = (input: unknown, report: Report) => unknown;

export { isJsonObject as isObject };

export function plural(count: number): string {
  return count === 1 ? '' : 's';
}
