/**
 * Unions: all branches are tried and the one that fits best wins, so that 1 stays an integer under `boolean | integer`.
 * When none fits, the issues of every branch are told, with the branch's name in `loc`. Source: reference behaviour.
 */
import { isRawNumber, jsonTextOf } from '../json.ts';
import { refuseShape } from './decode-objects.ts';
import { type Decoder, EXACT, isObject, REFUSED, Report } from './issues.ts';

export interface Branch {
  readonly name: string;
  readonly decode: Decoder;
}

export function unionDecoder(branches: readonly Branch[]): Decoder {
  return (input, report) => {
    let best: Report | undefined;
    let bestValue: unknown;
    const failures: Report[] = [];
    for (const { name, decode } of branches) {
      const attempt = new Report();
      const value = decode(input, attempt);
      if (value === REFUSED) {
        attempt.within(name, 0);
        failures.push(attempt);
      } else {
        if (!best || fitsBetter(attempt, best)) {
          best = attempt;
          bestValue = value;
        }
        if (attempt.exactness === EXACT && attempt.fieldsGiven === undefined) break;
      }
    }
    if (best) {
      report.lower(best.exactness);
      if (best.fieldsGiven !== undefined) report.fieldsGiven = (report.fieldsGiven ?? 0) + best.fieldsGiven;
      return bestValue;
    }
    for (const failure of failures) report.issues.push(...failure.issues);
    return REFUSED;
  };
}

function fitsBetter(one: Report, other: Report): boolean {
  const bothObjects = one.fieldsGiven !== undefined && other.fieldsGiven !== undefined;
  if (bothObjects && one.fieldsGiven !== other.fieldsGiven) return (one.fieldsGiven ?? 0) > (other.fieldsGiven ?? 0);
  return one.exactness > other.exactness;
}

/** A union that tells its branches apart by the constant in the field `tagName`. */
export function taggedUnionDecoder(tagName: string, branches: ReadonlyMap<unknown, Decoder>): Decoder {
  const expected = [...branches.keys()].map((tag) => `'${tag}'`).join(', ');
  return (input, report) => {
    if (!isObject(input)) return refuseShape(input, report);
    const tag = input[tagName];
    if (tag === undefined) {
      const msg = `Unable to extract tag using discriminator '${tagName}'`;
      return report.refuse('union_tag_not_found', msg, input, { discriminator: `'${tagName}'` });
    }
    const decode = branches.get(tag);
    if (!decode) {
      const shown = inPython(tag);
      const msg = `Input tag '${shown}' found using '${tagName}' does not match any of the expected tags: ${expected}`;
      const ctx = { discriminator: `'${tagName}'`, tag: shown, expected_tags: expected };
      return report.refuse('union_tag_invalid', msg, input, ctx);
    }
    const from = report.issues.length;
    const value = decode(input, report);
    if (value === REFUSED) report.within(String(tag), from);
    return value;
  };
}

/** A tag as the reference shows it: Python's words for what is not text. */
function inPython(tag: unknown): string {
  if (typeof tag === 'string') return tag;
  if (tag === null) return 'None';
  if (typeof tag === 'boolean') return tag ? 'True' : 'False';
  return isRawNumber(tag) ? tag.rawJSON : jsonTextOf(tag);
}
