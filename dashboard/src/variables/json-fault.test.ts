import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from './json-fault.ts';

test('JSON has no fault', () => {
  for (const text of ['1', '"eu"', 'null', '{"a": [1.0]}', ' [] ']) assert.equal(faultOf(text), undefined, text);
});

test('text without quotes is shown with them', () => {
  assert.equal(faultOf('eu'), 'This is not JSON. Text needs quotes around it: "eu".');
  assert.equal(faultOf(' a"b\n'), 'This is not JSON. Text needs quotes around it: "a\\"b".');
});

test('a fault in a longer text is in a line', () => {
  assert.equal(faultOf('{\n"port": 1,\n"rate" 2\n}'), 'This is not JSON: the fault is in line 3.');
});

test('a text that ends too early is not JSON', () => {
  assert.match(faultOf('{"a": ') ?? '', /^This is not JSON(: the fault is in line 1)?\.$/);
  assert.match(faultOf('') ?? '', /^This is not JSON(: the fault is in line 1)?\.$/);
});
