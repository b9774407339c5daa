import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printExactly, readExactly } from './exact-json.ts';

/** The text as it is stored again when nobody has touched it. */
const again = (text: string) => JSON.stringify(readExactly(text));

test('a long integer keeps its digits', () => {
  assert.equal(again('12345678901234567890'), '12345678901234567890');
  assert.equal(again('{"port":[-98765432109876543210]}'), '{"port":[-98765432109876543210]}');
});

test('a number keeps the way in which it was written', () => {
  for (const text of ['1.0', '1.50', '1e5', '1E-7', '-0', '-0.0', '0.1000000000000000055511151231257827', '1e400']) {
    assert.equal(again(text), text);
  }
});

test('a number that JavaScript writes the same way is a number', () => {
  assert.deepEqual(readExactly('[0, 7, -3, 0.1, 1e21]'), [0, 7, -3, 0.1, readExactly('1e21')]);
  assert.equal(typeof readExactly('7'), 'number');
});

test('texts that look like numbers stay texts, and other values are as usual', () => {
  const text = '{"a":"1.0","b":null,"c":true,"d":"\\u2028","e":{},"f":[],"":"12345678901234567890"}';
  assert.deepEqual(readExactly(text), JSON.parse(text));
});

test('the name __proto__ is a name like any other', () => {
  assert.equal(again('{"__proto__":1.0}'), '{"__proto__":1.0}');
});

test('a value is edited on lines of its own, with every digit', () => {
  assert.equal(
    printExactly(readExactly('{"port":12345678901234567890,"rate":1.0}')),
    '{\n  "port": 12345678901234567890,\n  "rate": 1.0\n}',
  );
});

test('what is not JSON is refused', () => {
  for (const text of ['', '{', '01', 'NaN', "'a'"]) assert.throws(() => readExactly(text), SyntaxError);
});
