import type { HttpStep, RowOrder } from '../generate/step.ts';
import type { Answer } from '../wire/http-client.ts';
import { isParsedObject, NumberText, type Parsed, type ParsedObject, printJson, readJson } from '../wire/json-text.ts';
import type { Difference, DifferenceKind } from './difference.ts';
import { CLOCK_NUMBERS, CLOCK_TIMES, HEADERS, OBJECT_SETS, OPEN_FIELDS, TEXT_SETS } from './fields.ts';
import { type Identities, isId } from './identities.ts';
import { matchRows, UNORDERED } from './rows.ts';
import { EMBEDDED, microsecondsIn, notation, type Times } from './times.ts';
import { compareValidation } from './validation.ts';

/** Enough to see the fault; an answer that differs everywhere is not listed in full. */
const MOST_DIFFERENCES = 20;
const FUZZY_ANSWER_SECONDS = 5;
/** The keys under which pages hold their rows. */
const ROWS_OF_PAGES = ['results', 'events'] as const;

/** The position of the comparison in an answer. */
export interface Place {
  readonly path: string;
  /** The nearest object key. */
  readonly key: string;
  /** Inside the client's own JSON: values are echoes, and no field name has a meaning. */
  readonly open: boolean;
  /** Number of runs that the numbers here are summed over; undefined for a number of a single run. */
  readonly runs?: number;
  /** The object with an id around it, as the reference names it, and the path of that object. */
  readonly owner?: { readonly id: string; readonly path: string };
}

export const ROOT: Place = { path: '', key: '', open: false };

/** Compares the two answers of one step, and learns from them which ids mean the same object. */
export class Comparison {
  readonly identities: Identities;
  readonly times: Times;
  readonly found: Difference[] = [];

  constructor(identities: Identities, times: Times) {
    this.identities = identities;
    this.times = times;
  }

  /** The differences of the two answers; empty when they agree. */
  answers(step: HttpStep, reference: Answer, ours: Answer, bases: readonly [string, string]): readonly Difference[] {
    if (reference.status !== ours.status) {
      this.report('status', ROOT, String(reference.status), String(ours.status));
      return this.found;
    }
    if (reference.status === 0) return this.found;
    for (const name of HEADERS) {
      const [a = '', b = ''] = [reference.headers[name], ours.headers[name]];
      this.#header(name, a.replace(bases[0], ''), b.replace(bases[1], ''));
    }
    const isJson = [reference, ours].every((answer) => answer.headers['content-type']?.startsWith('application/json'));
    const parsed = isJson ? [readJson(reference.text), readJson(ours.text)] : [reference.text, ours.text];
    const [a, b] = parsed as [Parsed, Parsed];
    if (step.fuzzy && a instanceof NumberText && b instanceof NumberText) {
      this.#clockNumber(a, b, ROOT, FUZZY_ANSWER_SECONDS);
    } else if (step.rows && Array.isArray(a) && Array.isArray(b)) {
      this.rows(a, b, ROOT, step.rows);
    } else if (step.rows && isParsedObject(a) && isParsedObject(b)) {
      this.#page(a, b, step.rows);
    } else {
      this.values(a, b, ROOT);
    }
    return this.found;
  }

  report(kind: DifferenceKind, place: Place, reference: string, ours: string): void {
    if (this.found.length >= MOST_DIFFERENCES) return;
    const { owner, path } = place;
    const pathInOwner = path.slice(owner?.path.length).replace(/^\./, '');
    const isNew = !owner || this.identities.isNew(`${owner.id} ${pathInOwner} ${kind} ${ours}`);
    this.found.push({ kind, path, reference, ours, repeated: !isNew });
  }

  values(a: Parsed, b: Parsed, place: Place): void {
    if (a instanceof NumberText && b instanceof NumberText) this.#numbers(a, b, place);
    else if (typeof a === 'string' && typeof b === 'string') this.#texts(a, b, place);
    else if (Array.isArray(a) && Array.isArray(b)) this.#lists(a, b, place);
    else if (isParsedObject(a) && isParsedObject(b)) this.#objects(a, b, place);
    else if (a !== b) this.report(kindOf(a) === kindOf(b) ? 'value' : 'type', place, printJson(a), printJson(b));
  }

  /** Lists of objects: their rows, and the order of the rows as far as it is promised. */
  rows(a: Parsed[], b: Parsed[], place: Place, order: RowOrder): void {
    const each = { ...place, path: `${place.path}[]`, key: '' };
    const match = matchRows(a, b, order, this.identities, this.times);
    for (const { kind, reference, ours } of match.problems) this.report(kind, place, reference, ours);
    for (const [rowOfA, rowOfB] of match.pairs) this.values(rowOfA, rowOfB, each);
  }

  /** An object that holds its rows under a key of its own. */
  #page(a: ParsedObject, b: ParsedObject, order: RowOrder): void {
    const key = ROWS_OF_PAGES.find((name) => Array.isArray(a[name]) && Array.isArray(b[name]));
    if (key === undefined) {
      this.values(a, b, ROOT);
      return;
    }
    const { [key]: rowsOfA, ...restOfA } = a;
    const { [key]: rowsOfB, ...restOfB } = b;
    this.values(restOfA, restOfB, ROOT);
    this.rows(rowsOfA as Parsed[], rowsOfB as Parsed[], inside(ROOT, key), order);
  }

  #header(name: string, a: string, b: string): void {
    const place = inside(ROOT, `header ${name}`);
    if (name === 'allow') {
      const methods = [a, b].map((list) => list.split(/,\s*/).sort().join(', '));
      if (methods[0] !== methods[1]) this.report('header', place, a, b);
    } else if (name === 'retry-after' && a !== '' && b !== '') {
      if (Number.isNaN(Number(b))) this.report('header', place, a, b);
    } else if (name === 'content-disposition') {
      if (this.#withoutNames(a) !== this.#withoutNames(b)) this.report('header', place, a, b);
    } else if (a !== b && this.#piecesDiffer(a, b, place)) {
      this.report('header', place, a, b);
    }
  }

  /** The name of a downloaded file contains the name of its run, which a server may have generated. */
  #withoutNames(header: string): string {
    return header.replace(/[a-z]+(-[a-z]+)+/g, (name) => (this.identities.isGeneratedName(name) ? '~' : name));
  }

  #numbers(a: NumberText, b: NumberText, place: Place): void {
    const seconds = place.open ? undefined : CLOCK_NUMBERS.get(place.key);
    if (seconds !== undefined) this.#clockNumber(a, b, place, seconds);
    else if (a.isFloat !== b.isFloat) this.report('number kind', place, a.text, b.text);
    else if (!a.equals(b)) this.report('value', place, a.text, b.text);
  }

  #clockNumber(a: NumberText, b: NumberText, place: Place, seconds: number): void {
    if (a.isFloat !== b.isFloat) this.report('number kind', place, a.text, b.text);
    else if (Math.abs(a.value - b.value) > seconds + this.times.lagSeconds * (place.runs ?? 1)) {
      this.report('value', place, a.text, b.text);
    }
  }

  #lists(a: Parsed[], b: Parsed[], place: Place): void {
    const isSet = TEXT_SETS.has(place.key) || OBJECT_SETS.has(place.key);
    if (place.key === 'exception_detail' && !place.open) {
      compareValidation(this, a, b, place);
    } else if (isSet && !place.open) {
      this.rows(a, b, place, UNORDERED);
    } else if (a.length !== b.length) {
      this.report('length', place, `${a.length}: ${printJson(a)}`, `${b.length}: ${printJson(b)}`);
    } else {
      const each = { ...place, path: `${place.path}[]` };
      for (const [index, value] of a.entries()) this.values(value, b[index] as Parsed, each);
    }
  }

  #objects(a: ParsedObject, b: ParsedObject, around: Place): void {
    const owned = this.#ownedPlace(a, b, around);
    const place = a.count_runs instanceof NumberText ? { ...owned, runs: a.count_runs.value } : owned;
    const left = new Set(Object.keys(b));
    for (const key of Object.keys(a)) {
      const inner = inside(place, key);
      const other = key in b ? key : (this.identities.counterpart(key) ?? key);
      if (left.delete(other)) this.values(a[key] as Parsed, b[other] as Parsed, inner);
      else this.report('missing key', inner, printJson(a[key] as Parsed), '(absent)');
    }
    for (const key of left) this.report('extra key', inside(place, key), '(absent)', printJson(b[key] as Parsed));
    if (!place.open) this.#relations(a, b, place);
  }

  /** Pairs the ids of two objects before it reads anything in them, because other fields may name the object too. */
  #ownedPlace(a: ParsedObject, b: ParsedObject, place: Place): Place {
    if (typeof a.id !== 'string' || typeof b.id !== 'string' || !isId(a.id) || place.open) return place;
    this.identities.bind(a.id, b.id);
    return { ...place, owner: { id: a.id, path: place.path } };
  }

  /** Checks across fields of one object: equal times, and names and `updated` that stay or change. */
  #relations(a: ParsedObject, b: ParsedObject, place: Place): void {
    const [timesOfA, timesOfB] = [clockTimes(a), clockTimes(b)];
    const keys = [...timesOfA.keys()].filter((key) => timesOfB.has(key));
    for (const [index, one] of keys.entries()) {
      for (const other of keys.slice(index + 1)) {
        if (timesOfA.get(one) !== timesOfA.get(other) || timesOfB.get(one) === timesOfB.get(other)) continue;
        this.report('time relation', place, `${one} = ${other}`, `${one} ≠ ${other}`);
      }
    }
    if (typeof a.id !== 'string' || typeof b.id !== 'string') return;
    const symbol = this.identities.symbolOf('reference', a.id);
    if (!symbol) return;
    const [updatedOfA, updatedOfB] = [a.updated, b.updated];
    if (typeof updatedOfA === 'string' && typeof updatedOfB === 'string') {
      // The latest artifact of a key has the id of the key: another one was made at another time.
      const same = `${symbol} ${typeof a.created === 'string' ? a.created : ''}`;
      if (!this.identities.changedTogether(same, 'updated', updatedOfA, updatedOfB)) {
        this.report('updated', place, `updated ${updatedOfA}`, `updated ${updatedOfB}: moved on one server only`);
      }
    }
    if (typeof a.name === 'string' && typeof b.name === 'string' && this.identities.isGeneratedName(a.name)) {
      const together = this.identities.changedTogether(symbol, 'name', a.name, b.name);
      if (!together) this.report('name', place, a.name, `${b.name}: changed on one server only`);
    }
  }

  #texts(a: string, b: string, place: Place): void {
    if (isId(a) && isId(b)) {
      if (!this.identities.bind(a, b)) this.report('id', place, a, b);
    } else if (place.key === 'next_page') {
      if (withoutToken(a) !== withoutToken(b)) this.report('text', place, a, b);
    } else if (a !== b) {
      const [timeOfA, timeOfB] = [microsecondsIn(a), microsecondsIn(b)];
      if (timeOfA !== undefined && timeOfB !== undefined) this.#instants(a, b, timeOfA, timeOfB, place);
      else if (!place.open && this.#generatedNames(a, b)) return;
      else if (this.#piecesDiffer(a, b, place)) this.report('text', place, a, b);
    }
  }

  #instants(a: string, b: string, timeOfA: bigint, timeOfB: bigint, place: Place): void {
    if (!this.times.agree(timeOfA, timeOfB, CLOCK_TIMES.has(place.key))) this.report('time', place, a, b);
    else if (notation(a) !== notation(b)) this.report('time notation', place, a, b);
  }

  /** Two generated names, also as `<flow name> / <run name>` in a graph. */
  #generatedNames(a: string, b: string): boolean {
    const [partsOfA, partsOfB] = [a.split(' / '), b.split(' / ')];
    if (partsOfA.length !== partsOfB.length) return false;
    return partsOfA.every((part, index) => {
      const other = partsOfB[index] as string;
      return part === other || (this.identities.isGeneratedName(part) && this.identities.isGeneratedName(other));
    });
  }

  /** Compares two sentences: ids, times and seconds in them by meaning, all other characters exactly. */
  #piecesDiffer(a: string, b: string, place: Place): boolean {
    const [piecesOfA, piecesOfB] = [a.split(EMBEDDED), b.split(EMBEDDED)];
    if (piecesOfA.length !== piecesOfB.length) return true;
    return piecesOfA.some((piece, index) => {
      const other = piecesOfB[index] as string;
      if (piece === other) return false;
      if (isId(piece) && isId(other)) return !this.identities.bind(piece, other);
      const [timeOfA, timeOfB] = [microsecondsIn(piece), microsecondsIn(other)];
      if (timeOfA !== undefined && timeOfB !== undefined) {
        return !this.times.agree(timeOfA, timeOfB, CLOCK_TIMES.has(place.key));
      }
      const withoutSeconds = (text: string) => text.replace(/\d+(\.\d+)?(?= seconds?)/g, 'n');
      return withoutSeconds(piece) !== withoutSeconds(other);
    });
  }
}

function inside(place: Place, key: string): Place {
  const path = place.path === '' ? key : `${place.path}.${key}`;
  return { ...place, path, key: place.open ? '' : key, open: place.open || OPEN_FIELDS.has(key) };
}

/** The times of an object and of its state, as text; the two bookkeeping times need not equal any other. */
function clockTimes(value: ParsedObject): Map<string, string> {
  const times = new Map<string, string>();
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string' && !CLOCK_TIMES.has(key) && microsecondsIn(member) !== undefined) {
      times.set(key, member);
    } else if (key === 'state' && isParsedObject(member) && typeof member.timestamp === 'string') {
      times.set('state.timestamp', member.timestamp);
    }
  }
  return times;
}

/** Where a link to the next page leads; the token and the address differ between the servers. */
function withoutToken(link: string): string {
  if (!URL.canParse(link)) return link;
  const { pathname, searchParams } = new URL(link);
  return `${pathname}?${[...searchParams.keys()].join('&')}`;
}

function kindOf(value: Parsed): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
