import type { HttpStep } from './step.ts';
import { isObject, type Symbolic, type SymbolicObject, Verbatim } from './symbols.ts';
import type { World } from './world.ts';

/** The same request with an error in its body: one odd value, one key too many or too few, or no JSON at all. */
export function spoiled(world: World, step: HttpStep): HttpStep {
  const { random } = world;
  // The spoiled body hides the sort and the limit of the list: any rows may be at its end.
  const rows = step.rows && { limit: 0 };
  if (step.body === undefined || random.chance(0.08)) {
    return { ...step, rows, body: undefined, raw: random.pick(RAW_BODIES), note: 'raw body' };
  }
  const [body, note] = spoil(world, step.body);
  return { ...step, rows, body, note };
}

/**
 * Spoils a request that changes many objects, only in ways that cannot make it change more: a filter without its
 * criterion would empty both servers.
 */
export function spoiledNarrowly(world: World, step: HttpStep): HttpStep {
  const note = world.random.pick(['extra key', 'odd limit', 'odd filter']);
  const body = isObject(step.body) ? step.body : {};
  const changes: SymbolicObject = {
    'extra key': { unexpected: 1 },
    'odd limit': { limit: world.random.pick(oddValues(world)) },
    'odd filter': Object.fromEntries(Object.keys(body).map((key) => [key, world.random.pick(['b4d', 5, [], true])])),
  };
  return { ...step, note, body: { ...body, ...(changes[note] as SymbolicObject) } };
}

/** Bodies that are wrong before any field is read. */
const RAW_BODIES: readonly string[] = [
  '',
  'null',
  '{',
  '[1,',
  '"text"',
  '7',
  'true',
  '[]',
  '{}',
  '{"name": NaN}',
  '{"limit": Infinity}',
  "{'name': 1}",
  '{"name": "a",}',
  '{"name": "a"} x',
  '{"name": "twice", "name": 5}',
  '\ufeff{"name": "mark"}',
  '{"name": "\u0001"}',
  '// no',
  '  \n ',
];

/** Changes one value in a body. The note names the change and the key. */
export function spoil(world: World, body: Symbolic): [Symbolic, string] {
  const { random } = world;
  const places = placesIn(body, []);
  const place = random.pick(places);
  const parent = valueAt(body, place);
  const inObject = isObject(parent);
  const operation = random.pick(inObject ? ['replace', 'replace', 'remove', 'add', 'rename'] : ['replace', 'add']);
  const key = inObject ? random.pick([...Object.keys(parent), '']) : '';
  const label = [...place, key].filter((part) => part !== '').join('.');
  if (operation === 'add' || (inObject && key === '')) {
    const extra = random.pick(['unexpected', '', 'id', '__proto__', 'constructor']);
    return [changed(body, place, (value) => withMember(value, extra, 1)), `extra key ${label}${extra}`];
  }
  if (operation === 'remove') return [changed(body, place, (value) => withoutMember(value, key)), `no ${label}`];
  if (operation === 'rename') {
    const renamed = (value: Symbolic) => withMember(withoutMember(value, key), key.toUpperCase(), 1);
    return [changed(body, place, renamed), `${label} renamed`];
  }
  const odd = random.pick(oddValues(world));
  const replaced = inObject
    ? changed(body, place, (value) => withMember(value, key, odd))
    : changed(body, place, () => odd);
  return [replaced, `odd ${label}`];
}

/**
 * Values that are invalid almost everywhere, and some that are valid by surprise: validation accepts texts of numbers
 * and the like. Excluded are values that the reference stores and then cannot print, and values that one server stores
 * and the other refuses: lists would differ from then on (see `protocol.ts`).
 */
function oddValues(world: World): Symbolic[] {
  return [
    null,
    '',
    'b4d',
    ' ',
    '5',
    '1.5',
    'true',
    0,
    1,
    -1,
    1.5,
    new Verbatim('1.0'),
    1_000_000_000_000,
    new Verbatim('18446744073709551615'),
    true,
    false,
    [],
    {},
    [null],
    [[]],
    { a: { b: 1 } },
    ['x', 1],
    'x'.repeat(300),
    'ünï ☂',
    world.random.uuid(),
    world.random.uuid().toUpperCase(),
    world.random.uuid().replaceAll('-', ''),
    '2026-01-02',
    '2026-13-45T00:00:00Z',
    '2026-01-02T03:04:05Z',
    '1767323045',
  ];
}

type PathInBody = readonly (string | number)[];

function placesIn(value: Symbolic, place: PathInBody): PathInBody[] {
  const here = [place];
  if (Array.isArray(value)) here.push(...value.flatMap((item, index) => placesIn(item, [...place, index])));
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) here.push(...placesIn(member, [...place, key]));
  }
  return here;
}

function valueAt(value: Symbolic, place: PathInBody): Symbolic {
  return place.reduce<Symbolic>((part, key) => (part as Record<string | number, Symbolic>)[key] as Symbolic, value);
}

function changed(value: Symbolic, place: PathInBody, change: (value: Symbolic) => Symbolic): Symbolic {
  const [key, ...rest] = place;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? changed(item, rest, change) : item));
  return withMember(value, String(key), changed(valueAt(value, [key]), rest, change));
}

/** `Object.fromEntries` defines members, so that a key named `__proto__` is sent like any other. */
function withMember(value: Symbolic, key: string, member: Symbolic): Symbolic {
  if (Array.isArray(value)) return [...value, member];
  if (!isObject(value)) return { [key]: member };
  return Object.fromEntries([...Object.entries(value).filter(([name]) => name !== key), [key, member]]);
}

function withoutMember(value: Symbolic, key: string): Symbolic {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) : value;
}
