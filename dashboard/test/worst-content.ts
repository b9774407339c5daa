/** The worst that those who write may store: schemas, Markdown, tables and values that a browser could choke on. */

const text = { type: 'string' };
const many = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, n) => item(n));
const named = <Value>(count: number, value: (index: number) => Value) =>
  Object.fromEntries(many(count, (index) => [`name_${index}`, value(index)]));
const chosen = (depth: number): object =>
  depth === 0 ? text : { anyOf: [...many(3, () => chosen(depth - 1)), { type: 'integer' }] };
const nested = (depth: number, inside: unknown): unknown => (depth === 0 ? inside : { a: nested(depth - 1, inside) });

export const LONG = 'a long text '.repeat(40_000);

/** One parameter each, so that a form has all of them. */
export const worstSchemas: Readonly<Record<string, object>> = {
  pattern: { a: { ...text, pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` } },
  'pattern in a union': {
    a: { anyOf: [{ ...text, pattern: '^(a+)+$' }, { type: 'integer' }], default: `${'a'.repeat(60)}!` },
  },
  'pattern of names': {
    a: { type: 'object', patternProperties: { '^(a+)+$': text }, default: { [`${'a'.repeat(60)}!`]: 'x' } },
  },
  format: { a: { ...text, format: 'url', default: `http://${'a'.repeat(60)}!` } },
  union: { a: { anyOf: many(1990, (n) => ({ type: 'object', properties: { [`p${n}`]: text }, title: `T${n}` })) } },
  'union that just fits': {
    a: { anyOf: many(40, (n) => ({ type: 'object', properties: { [`p${n}`]: text }, title: `T${n}` })) },
  },
  'nested unions': { a: chosen(5) },
  'nested unions that just fit': { a: chosen(2) },
  enumeration: { a: { enum: many(20_000, String) } },
  fields: named(5000, () => text),
  'fields that just fit': named(590, () => text),
  'fields of JSON': named(3000, () => ({})),
  'fields of JSON that just fit': named(59, () => ({})),
  depth: { a: many(25, () => 0).reduce<object>((inner) => ({ type: 'object', properties: { a: inner } }), text) },
  'shortest list': { a: { type: 'array', items: text, minItems: 1_000_000 } },
  'default list': { a: { type: 'array', items: text, default: many(20_000, String) } },
  'default JSON': { a: { default: named(20_000, String) } },
  'default text': { a: { ...text, default: LONG } },
  descriptions: { a: { ...text, title: LONG.slice(0, 200_000), description: LONG } },
};

export const worstMarkdown: Readonly<Record<string, string>> = {
  strikes: '~a'.repeat(40_000),
  emphasis: '*a_b'.repeat(20_000),
  'much emphasis': '*a* '.repeat(20_000),
  links: '[a]('.repeat(20_000),
  brackets: '['.repeat(80_000),
  images: '![a'.repeat(26_000),
  ticks: many(400, (n) => '`'.repeat(n)).join('a'),
  footnotes: many(10_000, (n) => `[^${n}]: a`).join('\n'),
  'calls of footnotes': `[^a]: b\n\n${'[^a]'.repeat(20_000)}`,
  quotes: '>'.repeat(80_000),
  lists: many(400, (n) => `${' '.repeat(n)}- a`).join('\n'),
  items: '- a\n'.repeat(20_000),
  'wide table': `|${'a|'.repeat(10_000)}\n|${'-|'.repeat(10_000)}\n|${'b|'.repeat(10_000)}`,
  'tall table': `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(10_000)}`,
  addresses: 'www.a.b '.repeat(10_000),
  entities: '&amp;'.repeat(16_000),
  'one word': 'a'.repeat(900_000),
  lines: 'a\n'.repeat(400_000),
};

export const worstTables: Readonly<Record<string, unknown>> = {
  'thousands of columns': many(20, () => named(5000, (column) => column)),
  'columns of their own': many(10_000, (row) => ({ [`column_${row}`]: row })),
  'columns by name': named(20_000, () => [1]),
  'rows as lists': many(100_000, () => [1, 2]),
  'empty rows': many(300_000, () => ({})),
  'long cells': many(200, () => named(20, () => 'cell '.repeat(40))),
  'one long cell': [{ cell: LONG, [LONG.slice(0, 100_000)]: nested(250, 1) }],
};

export const worstValues: Readonly<Record<string, unknown>> = {
  text: LONG,
  line: 'a'.repeat(480_000),
  lines: '\n'.repeat(200_000),
  numbers: many(80_000, Number),
  names: named(20_000, String),
  depth: nested(250, 1),
};

export { many, named };
