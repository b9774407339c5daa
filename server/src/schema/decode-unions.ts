/**
 * Unions: every branch is tried and the one that fits best wins, so that 1 stays an integer under `boolean | integer`.
 * When none fits, the answer lists the issues of every branch, with the branch's name in `loc`. Source: Pydantic's
 * smart mode (docs.pydantic.dev/latest/concepts/unions).
 */
import { isRawNumber, jsonTextOf } from '../values/json.ts';
import { refuseShape } from './decode-objects.ts';
import { type Decoder, EXACT, isObject, REFUSED, Report } from './issues.ts';

interface Branch {
  readonly name: string;
  readonly decode: Decoder;
}

export function unionDecoder(branches: readonly Branch[]): Decoder {
  const decode: Decoder = (input, report) => {
    const outcome = remembered(input, report, decode, () => tryAll(branches, input, report));
    if (outcome.value === REFUSED) {
      report.issues.push({ loc: [], all: outcome.report.issues });
      return REFUSED;
    }
    const { exactness, fieldsGiven } = outcome.report;
    report.lower(exactness);
    if (fieldsGiven !== undefined) report.fieldsGiven = (report.fieldsGiven ?? 0) + fieldsGiven;
    return outcome.value;
  };
  return decode;
}

interface Outcome {
  readonly value: unknown;
  readonly report: Report;
}

/**
 * Decodes an object once per union and request. A shape that contains its own union would otherwise be decoded once per
 * branch at every level, which doubles the work with each level.
 */
function remembered(input: unknown, report: Report, union: Decoder, decode: () => Outcome): Outcome {
  if (!isObject(input)) return decode();
  let memory = report.unions.get(union);
  if (!memory) {
    memory = new Map();
    report.unions.set(union, memory);
  }
  let outcome = memory.get(input);
  if (!outcome) {
    outcome = decode();
    memory.set(input, outcome);
  }
  return outcome;
}

function tryAll(branches: readonly Branch[], input: unknown, report: Report): Outcome {
  let best: Outcome | undefined;
  const failures: Report[] = [];
  for (const { name, decode } of branches) {
    const attempt = new Report(report.unions);
    const value = decode(input, attempt);
    if (value === REFUSED) {
      attempt.within(name, 0);
      failures.push(attempt);
      continue;
    }
    if (!best || fitsBetter(attempt, best.report)) best = { value, report: attempt };
    if (attempt.exactness === EXACT && attempt.fieldsGiven === undefined) break;
  }
  if (best) return best;
  const all = new Report(report.unions);
  for (const { issues } of failures) all.issues.push(...issues);
  return { value: REFUSED, report: all };
}

function fitsBetter(one: Report, other: Report): boolean {
  const bothObjects = one.fieldsGiven !== undefined && other.fieldsGiven !== undefined;
  if (bothObjects && one.fieldsGiven !== other.fieldsGiven) return (one.fieldsGiven ?? 0) > (other.fieldsGiven ?? 0);
  return one.exactness > other.exactness;
}

/** A union whose branches differ by the constant in the field `tagName`. */
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

/** A tag as the reference shows it: values other than text in Python's notation. */
function inPython(tag: unknown): string {
  if (typeof tag === 'string') return tag;
  if (tag === null) return 'None';
  if (typeof tag === 'boolean') return tag ? 'True' : 'False';
  return isRawNumber(tag) ? tag.rawJSON : jsonTextOf(tag);
}
