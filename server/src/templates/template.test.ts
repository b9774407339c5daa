import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TemplateRuntimeError, TemplateSyntaxError } from './syntax/template-error.ts';
import { Template } from './template.ts';
import { TemplateFunction, TemplateObject, type Value, valueOfJson } from './values.ts';

const data = {
  n: null,
  i: 5,
  f: 2.5,
  s: 'Hello World',
  list: [3, 1, 2],
  map: { b: 1, a: { x: [1, { y: 'z' }] } },
  users: [
    { name: 'Bob', age: 3, group: 'x' },
    { name: 'ann', age: 9, group: 'y' },
    { name: 'Cy', age: 5, group: 'x' },
  ],
  empty: [],
};
const context = new Map(Object.entries(data).map(([name, value]) => [name, valueOfJson(value)]));
const render = (source: string) => new Template(source).render({ context });

// The expected texts are those of Jinja 3.1, recorded from it.
const renderings: readonly (readonly [template: string, text: string])[] = [
  [
    '{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 4 / 2 }} {{ 2 ** 3 }} {{ 2 ** -1 }} {{ -2 ** 2 }}',
    '3 -4 2 2.0 8 0.5 4',
  ],
  [
    '{{ 1.0 }} {{ 1e20 }} {{ 0x1f }} {{ 1_000 }} {{ 12345678901234567890 * 2 }}',
    '1.0 1e+20 31 1000 24691357802469135780',
  ],
  [
    '{{ true }} {{ none }} {{ 0 or "x" }} {{ not 1 }} {{ [1, "a", none] }} {{ (1,) }}',
    "True None x False [1, 'a', None] (1,)",
  ],
  [
    '{{ 1 < 2 < 3 }} {{ 1 == 1.0 }} {{ "a" in "abc" }} {{ 2 not in [1] }} {{ [1] == [1.0] }}',
    'True True True True True',
  ],
  ['{{ x }}|{{ x.y.z }}|{{ x is defined }}|{{ x|default("q") }}|{{ x|length }}|{{ x == y }}', '||False|q|0|True'],
  [
    '{{ list[-1] }} {{ list[1:] }} {{ list[::-1] }} {{ s[0:5] }} {{ map.a.x.1.y }} {{ map["a"]["x"][1]["y"] }}',
    '2 [1, 2] [2, 1, 3] Hello z z',
  ],
  ['{{ map.items()|list }} {{ map.get("zz", 3) }}', "[('b', 1), ('a', {'x': [1, {'y': 'z'}]})] 3"],
  [
    '{{ s.upper() }} {{ s.split("o", 1) }} {{ s.replace("l", "L", 1) }} {{ s.startswith("He") }}',
    "HELLO WORLD ['Hell', ' World'] HeLlo World True",
  ],
  [
    '{{ "%s %d %.2f|%5s|%-3s|%05d" % ("a", 3, 2.5, "b", "c", 42) }} {{ "{}-{x:>4}".format(1, x=2) }}',
    'a 3 2.50|    b|c  |00042 1-   2',
  ],
  [
    '{{ s|truncate(5, true) }} {{ "hello-foo bar"|title }} {{ "<b>"|e }} {{ "a b/é"|urlencode }}',
    'He... Hello-Foo Bar &lt;b&gt; a%20b/%C3%A9',
  ],
  [
    '{{ users|sort(attribute="age")|map(attribute="name")|join(",") }} {{ users|selectattr("age", "gt", 4)|map(attribute="name")|list }}',
    "Bob,Cy,ann ['ann', 'Cy']",
  ],
  ['{% for g, us in users|groupby("group") %}{{ g }}:{{ us|length }};{% endfor %}', 'x:2;y:1;'],
  [
    '{{ "5.7"|int }} {{ "x"|int(9) }} {{ 2.5|round }} {{ 2.345|round(2) }} {{ 1000|filesizeformat }}',
    '5 9 2.0 2.35 1.0 kB',
  ],
  ['{{ {"b": "<", "a": [1.0, none]}|tojson }}', '{"a": [1.0, null], "b": "\\u003c"}'],
  [
    '{{ 5 is odd }} {{ 6 is divisibleby 3 }} {{ map is mapping }} {{ "ab" is upper }} {{ none is not none }}',
    'True True True False False',
  ],
  ['{% if i > 9 %}big{% elif i > 1 %}mid{% else %}small{% endif %}', 'mid'],
  ['{% for a in list %}{{ loop.index }}{{ a }}{{ "," if not loop.last }}{% else %}none{% endfor %}', '13,21,32'],
  ['{% for a in list if a > 1 %}{{ a }}{% endfor %}{% for a in empty %}{% else %}empty{% endfor %}', '32empty'],
  ['{% set v = 1 %}{% for a in list %}{% set v = a %}{% endfor %}{{ v }}', '1'],
  ['{% set ns = namespace(sum=0) %}{% for a in list %}{% set ns.sum = ns.sum + a %}{% endfor %}{{ ns.sum }}', '6'],
  [
    '{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{% filter upper %}ab{% endfilter %}{% set t %}<{{ i }}>{% endset %}{{ t }}',
    '3AB<5>',
  ],
  ['{% raw %}{{ x }}{% endraw %}{# gone #}  {%- if true -%}  x  {%- endif %} y', '{{ x }}x y'],
  ['{{ range(1, 10, 3)|list }} {{ dict(a=1) }} {{ [1] + [2] }} {{ "ab" * 2 }}', "[1, 4, 7] {'a': 1} [1, 2] abab"],
];

const syntaxErrors: readonly (readonly [template: string, message: string])[] = [
  ['{{ a b }}', "expected token 'end of print statement', got 'b'"],
  ['{{ 1 + }}', "unexpected 'end of print statement'"],
  ['{{ (1 }}', "unexpected '}', expected ')'"],
  ['{{ "a }}', "unexpected char '\"' at 3"],
  ['{{', "unexpected 'end of template'"],
  ['{% foo %}', "Encountered unknown tag 'foo'."],
  ['{% if %}', "Expected an expression, got 'end of statement block'"],
  [
    '{% for a in b %}',
    "Unexpected end of template. Jinja was looking for the following tags: 'endfor' or 'else'. The innermost block that needs to be closed is 'for'.",
  ],
  [
    '{% for a in [] %}{% for b in [] %}{% for c in [] %}{% endfor %}{% endfor %}{% endfor %}',
    'Contains nested for loops at a depth of 3. Templates can nest for loops no more than 2 loops deep.',
  ],
  [
    '{% for a in [] %}{% endfor %}'.repeat(11),
    'Contains 11 for loops. Templates can contain no more than 10 for loops.',
  ],
];

const runtimeErrors: readonly (readonly [template: string, description: string])[] = [
  ['{{ 1 / 0 }}', "ZeroDivisionError('division by zero')"],
  ['{{ foo() }}', `UndefinedError("'foo' is undefined")`],
  ['{{ x + 1 }}', `UndefinedError("'x' is undefined")`],
  ['{{ 1 + "a" }}', `TypeError("unsupported operand type(s) for +: 'int' and 'str'")`],
  ['{{ "a" + 1 }}', `TypeError('can only concatenate str (not "int") to str')`],
  ['{{ a|nofilter }}', `TemplateAssertionError("No filter named 'nofilter'.")`],
  ['{{ range(101) }}', "OverflowError('Range too big. The sandbox blocks ranges larger than MAX_TEMPLATE_RANGE=100.')"],
  ['{{ "".__class__() }}', `SecurityError("access to attribute '__class__' of 'str' object is unsafe.")`],
  ['{% for a, b in [1] %}{% endfor %}', "TypeError('cannot unpack non-iterable int object')"],
];

describe('a template', () => {
  for (const [template, text] of renderings) {
    test(`${template} gives ${text}`, () => {
      assert.equal(render(template), text);
    });
  }

  for (const [template, message] of syntaxErrors) {
    test(`${template} is refused: ${message}`, () => {
      assert.throws(
        () => new Template(template),
        (error) => {
          assert.ok(error instanceof TemplateSyntaxError);
          assert.equal(error.message, message);
          return true;
        },
      );
    });
  }

  for (const [template, description] of runtimeErrors) {
    test(`${template} fails: ${description}`, () => {
      assert.throws(
        () => render(template),
        (error) => {
          assert.ok(error instanceof TemplateRuntimeError);
          assert.equal(error.describe(), description);
          return true;
        },
      );
    });
  }

  test('without tags is returned unchanged', () => {
    assert.equal(render('{# no #} } {\n'), '{# no #} } {\n');
  });

  test('that is one expression keeps the type of its value', () => {
    assert.equal(new Template('{{ i + 1 }}').value({ context }), 6n);
    assert.deepEqual(new Template('{{ list }}').value({ context }), [3n, 1n, 2n]);
    assert.equal(new Template('{{ i }} ').value({ context }), undefined);
  });

  test('lists the names it reads', () => {
    const template = new Template('{% if a.b %}{{ c|default(d) }}{% endif %}{% set x = f(g=h) %}');
    assert.deepEqual([...template.names()].sort(), ['a', 'c', 'd', 'f', 'h']);
  });

  test('sees objects and filters of its host', () => {
    class Labels extends TemplateObject {
      attribute(name: string): Value | undefined {
        return name === 'team' ? 'blue' : undefined;
      }
      print() {
        return 'labels';
      }
    }
    const own = new Map<string, Value>([
      ['labels', new Labels()],
      ['shout', new TemplateFunction('shout', ({ positional: [text = ''] }) => `${String(text)}!`)],
    ]);
    const filters = new Map([['twice', (value: Value) => `${String(value)}${String(value)}`]]);
    const text = new Template('{{ labels.team }} {{ labels.other }} {{ labels }} {{ shout("a") }} {{ "b"|twice }}');
    assert.equal(text.render({ context: own, filters }), 'blue  labels a! bb');
  });
});

describe('a hostile template', () => {
  test('cannot reach the host', () => {
    for (const name of ['constructor', 'toString', 'process', 'globalThis', 'hasOwnProperty']) {
      assert.equal(render(`{{ ${name} }}{{ "".${name} }}{{ [].${name} }}{{ {}.${name} }}{{ {}["${name}"] }}`), '');
      assert.throws(() => render(`{{ map.${name}("return 1")() }}`), TemplateRuntimeError);
    }
    assert.throws(() => render('{{ x|constructor }}'), TemplateRuntimeError);
    assert.equal(render('{{ range.constructor }}{{ {}.__proto__ }}{{ loop }}'), '');
  });

  for (const source of [
    '{{ "a" * 10 ** 9 }}',
    '{{ [0] * 10 ** 9 }}',
    '{{ 10 ** 5000 }}',
    '{{ "a"|center(10 ** 9) }}',
    '{{ ["ab" * 100000] * 100000 }}',
    '{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{% set c = [b] * 1000 %}{{ c }}',
    '{{ ("a" * 500000) in ("a" * 499999 ~ "b" ~ "a" * 499999) }}',
    '{% set ns = namespace(s="x") %}{% for a in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}',
    '{% set ns = namespace(l=[]) %}{% for a in range(100) %}{% for b in range(100) %}{% set ns.l = [ns.l] %}{% endfor %}{% endfor %}{{ ns.l }}',
    `{{ ${'1+'.repeat(50_000)}1 }}`,
    `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
    '{% if 1 %}'.repeat(5000),
  ]) {
    test(`is stopped: ${source.slice(0, 60)}`, () => {
      assert.throws(
        () => render(source),
        (error) => error instanceof TemplateRuntimeError || error instanceof TemplateSyntaxError,
      );
    });
  }
});
