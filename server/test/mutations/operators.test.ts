import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editsIn } from './draw.ts';
import { applied, type OperatorName, operators } from './operators.ts';

const every = Object.keys(operators) as OperatorName[];

/** All sources that an operator makes of one. */
function changesOf(source: string, ...names: OperatorName[]): string[] {
  return editsIn(source, names).map(({ edit }) => applied(source, edit));
}

/** In the examples `@{` begins an inserted expression. */
function template(source: string): string {
  return source.replaceAll('@{', '${');
}

const examples: [OperatorName, string, string[]][] = [
  ['negate a condition', 'if (a) b();', ['if (!(a)) b();']],
  ['negate a condition', 'const a = b ? 1 : 2;', ['const a = !(b) ? 1 : 2;']],
  ['negate a condition', 'if (!a) b();', ['if (a) b();']],
  ['flip a comparison', 'a < b; c !== d;', ['a <= b; c !== d;', 'a < b; c === d;']],
  ['swap && and ||', 'a && b || c;', ['a && b && c;', 'a || b || c;']],
  ['swap && and ||', 'a /* || */ || (b);', ['a /* || */ && (b);']],
  ['drop an element', 'f([a, b]);', ['f([b]);', 'f([a, ]);']],
  ['drop a property', 'f({ a, b: 1 });', ['f({ b: 1 });', 'f({ a,  });']],
  ['drop a call', 'await a.save(b); c = d();', ['; c = d();']],
  ['drop a call', 'clearTimeout(a); this.logger.child(b); super();', []],
  ['return nothing', 'const f = () => { return a; };', ['const f = () => { return undefined; };']],
  ['return nothing', 'function f() { return undefined; }', []],
  ['return early', 'function f() { a(); }', ['function f() { return; a(); }']],
  ['return early', 'class A { constructor() { a(); } }', []],
  ['be off by one', 'const first = list[0];', ['const first = list[1];']],
  ['be off by one', 'const TIMEOUT_SECONDS = 5; f({ maxEntries: 10 }); g(4096);', []],
  ['ask for less', "f({ permission: 'flows:write' });", ["f({ permission: 'flows:read' });"]],
  ['ask for less', "f({ permission: 'flows:read' });", ["f({ permission: 'public' });"]],
  ['ask for less', "f({ access: 'organization:admin' });", ["f({ access: 'organization:member' });"]],
  ['show a secret', 'send(redact(text));', ['send(text);']],
  ['show a secret', 'mayReadSecrets(role) ? a : b;', ['true ? a : b;']],
  ['drop a where', "q.where('a', '=', b).limit(1);", ['q.limit(1);']],
  ['swap asc and desc', 'sql`select a from b order by @{c} desc`;', ['sql`select a from b order by @{c} asc`;']],
  ['swap asc and desc', "q.orderBy(a, 'asc');", ["q.orderBy(a, 'desc');"]],
  ['swap asc and desc', "['create index i on a (b desc)'];", []],
  ['swap and and or', 'sql`a = 1 and @{b}`;', ['sql`a = 1 or @{b}`;']],
  ['swap and and or', 'sql`a between 1 and 2`;', []],
  ['drop a not', "['create table a (b text not null)'];", ["['create table a (b text null)'];"]],
  ['drop a not', 'sql`a is not null`;', ['sql`a is null`;']],
  ['flip a comparison in SQL', 'sql`@{a} <= @{b}`;', ['sql`@{a} < @{b}`;']],
  ['flip a comparison in SQL', 'sql`a ->> @{b}`;', []],
  [
    'drop a term of a where',
    'sql`select a where b = 1 and c = 2`;',
    ['sql`select a where c = 2`;', 'sql`select a where b = 1`;'],
  ],
  [
    'drop a condition of an index',
    "['create unique index i on a (b) where b is null'];",
    ["['create unique index i on a (b)'];"],
  ],
  ['drop a column of an index', "['create index i on a (b, c desc)'];", ["['create index i on a (b)'];"]],
  ['drop a column', '[`create table a (\n  b {text},\n  c {text}\n)`];', ['[`create table a (\n  c {text}\n)`];']],
  ['drop a constraint', "['create unique index i on a (b)'];", ["['create index i on a (b)'];"]],
  [
    'drop a constraint',
    "['create table a (b text references c (d) on delete cascade)'];",
    ["['create table a (b text references c (d))'];"],
  ],
  ['drop a default', "['create table a (b int default 0)'];", ["['create table a (b int)'];"]],
  [
    'drop an attribute',
    'html`<input class="wide" name="a" value="@{b}">`;',
    ['html`<input class="wide" value="@{b}">`;'],
  ],
  ['drop a part of a page', 'html`<p>@{a} @{b}</p>`;', ['html`<p> @{b}</p>`;', 'html`<p>@{a} </p>`;']],
];

for (const [operator, source, expected] of examples) {
  test(`"${operator}" changes ${source.replace(/\s+/g, ' ')}`, () => {
    assert.deepEqual(changesOf(template(source), operator), expected.map(template));
  });
}

test('every operator has an example', () => {
  assert.deepEqual(new Set(examples.map(([operator]) => operator)), new Set(every));
});

test('types, imports, comments, texts for people, errors and lines of the log are left alone', () => {
  const source = `
    import { a } from './admin.ts';
    export { b } from './editor.ts';
    /** if (a < b) */
    type Role = 'admin' | 'editor';
    interface Facts { readonly roles: ['admin']; count: 1 }
    const known = value as readonly ['admin'];
    const tags = ['Flows'];
    const described = declare(shape satisfies Record<'admin', 1>);
    function fail(): void {
      throw new Refused(a ? 'not an admin' : 'too many', [1, 2]);
    }
    logger.info({ count: 1 }, a && b ? 'admin' : 'editor');
    const documented = of(route);
  `;
  assert.deepEqual(
    changesOf(source, ...every).filter((changed) => !changed.includes('{ return;')),
    [],
  );
});

test('the summary and the description of a route are left alone', () => {
  const source = "route({ summary: a && 'Read', description: b && c, permission: 'flows:read' });";
  assert.deepEqual(changesOf(source, 'swap && and ||', 'ask for less'), [source.replace('flows:read', 'public')]);
});
