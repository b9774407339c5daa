import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomNumbers } from '../../../test/support/random.ts';
import { isRawNumber, jsonTextOf, keysInOrder, type Layout, parseJson, parseLargeJson } from '../json.ts';
import { LargeJsonError } from './large.ts';
import { PrintedJson } from './printed.ts';
import { JsonSyntaxError } from './reader.ts';

const turns = { count: 0 };
const options = (pieceLength = 16, maxBuilt = 1_000_000) => ({
  pieceLength,
  maxBuilt,
  nextTurn: async () => {
    turns.count += 1;
  },
});

const read = (text: string, layout: Layout, pieceLength?: number, maxBuilt?: number) =>
  parseLargeJson(text, layout, options(pieceLength, maxBuilt));

const SCALARS = [
  'null',
  'true',
  '1.0',
  '-0',
  '1e5',
  '123456789012345678901234567890',
  '"a\\u0041"',
  '"\\"},["',
  '"é😀"',
  '17',
];
const KEYS = ['a', 'b', '2', '1', '__proto__', 'long'.repeat(10), 'é', 'x"y', ''].map((key) => JSON.stringify(key));

/** JSON with white space, keys that JavaScript would reorder, Python's numbers, and repeated keys. */
class Documents {
  readonly random: () => number;

  constructor(seed: number) {
    this.random = randomNumbers(seed);
  }

  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  make(depth = 0): string {
    const kind = depth > 4 ? 0 : this.below(4);
    if (kind < 1 && depth > 0) return this.pick(SCALARS);
    const isObject = this.random() < 0.5;
    const members = Array.from({ length: this.below(6) }, () =>
      this.#spaced(isObject ? `${this.pick(KEYS)}${this.#spaced(':')}${this.make(depth + 1)}` : this.make(depth + 1)),
    );
    const inside = members.length > 0 ? members.join() : this.#spaced('');
    return isObject ? `{${inside}}` : `[${inside}]`;
  }

  /** The same text with one character changed, added or removed. */
  broken(text: string): string {
    const at = this.below(text.length + 1);
    return (
      text.slice(0, at) + this.pick(['', ',', ']', '}', '{', '"', ':', 'x', '\\', '[']) + text.slice(at + this.below(2))
    );
  }

  #spaced(text: string): string {
    const space = () => this.pick(['', '', ' ', '\n', '\t ']);
    return space() + text + space();
  }
}

const layouts: Layout[] = [
  'open',
  'closed',
  { items: 'open' },
  { items: { properties: new Map([['a', 'open']]) } },
  {
    properties: new Map<string, Layout>([
      ['a', 'open'],
      ['b', 'closed'],
      ['2', { properties: new Map() }],
    ]),
  },
];

describe('a large JSON text', () => {
  test('gives the same value in pieces as at once, in any pieces and layout', async () => {
    for (let seed = 0; seed < 3000; seed++) {
      const documents = new Documents(seed);
      const text = documents.make();
      const value = await read(text, documents.pick(layouts), 1 + documents.below(60));
      assert.equal(printed(value), jsonTextOf(parseJson(text)), `seed ${seed}`);
    }
  });

  test('with an error is refused at the same position in pieces as at once', async () => {
    for (let seed = 0; seed < 5000; seed++) {
      const documents = new Documents(seed);
      const text = documents.broken(documents.make());
      const reading = read(text, documents.pick(layouts), 1 + documents.below(60));
      const expected = readAtOnce(text);
      if (expected === undefined) await assert.rejects(reading, JsonSyntaxError, `seed ${seed}: ${text}`);
      else assert.equal(printed(await reading), expected, `seed ${seed}`);
    }
  });

  test('reports the error and its position', async () => {
    const text = `[${'{"a":[1,2,3]},'.repeat(20)}{"a" 1}]`;
    await assert.rejects(read(text, 'open'), { reason: "Expecting ':' delimiter", position: text.length - 3 });
    await assert.rejects(read('['.repeat(400), 'open'), { name: 'JsonLimitError' });
    await assert.rejects(read(`["é😀",${'1,'.repeat(40)}]`, 'open'), { reason: 'Expecting value', position: 86 });
  });

  test('keeps large free-form parts as text, and parses the others', async () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ index }));
    const text = JSON.stringify({ open: items, closed: items, small: [1] });
    const layout: Layout = { properties: new Map([['open', 'open'] as const, ['closed', 'closed'] as const]) };
    const value = (await read(text, layout, 32)) as Record<string, unknown>;
    assert.ok(value['open'] instanceof PrintedJson);
    assert.deepEqual(value['closed'], items);
    assert.deepEqual(value['small'], [1]);
  });

  test('takes one turn per piece', async () => {
    turns.count = 0;
    await read(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index)), 'open', 100);
    assert.ok(turns.count > 30, String(turns.count));
  });

  test('with too much outside its free-form parts is refused, for each item in a list', async () => {
    const numbers = JSON.stringify(Array.from({ length: 100 }, () => 1));
    await assert.rejects(read(`{"a":${numbers}}`, 'closed', 16, 90), LargeJsonError);
    await read(`{"a":${numbers}}`, 'open', 16, 100);
    await read(`[${`${numbers},`.repeat(20)}${numbers}]`, { items: 'closed' }, 16, 110);
    await assert.rejects(
      read(`[[${`${numbers},`.repeat(20)}${numbers}]]`, { items: 'closed' }, 16, 110),
      LargeJsonError,
    );
  });

  test('with more items in a list than anything stored has is refused', async () => {
    const list = (items: number) => `[${'1,'.repeat(items - 1)}1]`;
    await read(list(1_500_000), { items: 'closed' }, 32_768);
    await assert.rejects(read(list(1_600_000), { items: 'closed' }, 32_768), LargeJsonError);
  });
});

/** As `jsonTextOf` prints it, with the text of large parts. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printed).join()}]`;
  if (typeof value !== 'object' || value === null || value instanceof PrintedJson || isRawNumber(value)) {
    return jsonTextOf(value);
  }
  const members = keysInOrder(value).map(
    (name) => `${JSON.stringify(name)}:${printed((value as Record<string, unknown>)[name])}`,
  );
  return `{${members.join()}}`;
}

/** Undefined when the text is not JSON. */
function readAtOnce(text: string): string | undefined {
  try {
    return jsonTextOf(parseJson(text));
  } catch (error) {
    assert.ok(error instanceof JsonSyntaxError);
    return undefined;
  }
}
