import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonText, parseObject } from '../../../values/json.ts';
import { blockSchemaChecksum } from './checksum.ts';

/** Fields and the checksum that the Prefect server 3.9.1 answers for them. */
const measured: readonly (readonly [string, string, string])[] = [
  ['no fields', '{}', 'f8e6e96abbc38504d4e9c99fc57281fa0026bede1fa42db79f22f984501710f4'],
  [
    'numbers keep their kind, in the spelling of Python',
    '{"f":0.00001,"g":1.1e-7,"h":123456.789,"i":1e22,"j":60.0,"k":-0.0,"l":0.0001,"m":12345678901234567890,"n":1e16,"o":123456789012345.0,"10":1,"9":2}',
    '28455d92965309655e7c6bbcc85e2791ac13ae7f35d3160b0bc9131a4e94908f',
  ],
  [
    'definitions count when they are reached and are no blocks',
    '{"definitions":{"A":{"block_type_slug":"a","x":{"$ref":"#/definitions/B"}},"B":{"y":1},"C":{"z":{"$ref":"#/definitions/D"}},"D":{"secret_fields":["q"],"w":1.0}},"properties":{"a":{"$ref":"#/definitions/A"},"c":{"anyOf":[{"$ref":"#/definitions/C"}]}}}',
    '8cb6537490a458082ad8eff8099ce3acb4aba69722d45b6b8353c34cd7145a0b',
  ],
  [
    'text is escaped, keys are sorted by code points',
    '{"title":"ü é € 😀 \\u007f \\u0001 \\n \\" / \\\\ \\u2028","\uffff":1,"😀":2,"nested":{"secret_fields":["a"],"definitions":{"Q":1}}}',
    '531b65adbc52569bd78a76be4bdf35e92f18f00b498cbe33fa7f87c917ee242e',
  ],
  [
    'empty definitions count as they are',
    '{"definitions":{},"a":null,"b":[true,false,[]],"c":{}}',
    'b91bcf9a7c78777ea6d7ab6360f161b1d205b6d8f1e987837fe64cecfa6aa49c',
  ],
  [
    'definitions of which nothing is reached do not count',
    '{"definitions":[1]}',
    'f8e6e96abbc38504d4e9c99fc57281fa0026bede1fa42db79f22f984501710f4',
  ],
  [
    'a reference to nowhere is no fault',
    '{"p":{"$ref":"#/definitions/Missing"},"x":2}',
    'f9650b8e0c68e21ffae784a59a8bf6c6262f72d5e5c7e7c93273a149d24662d8',
  ],
];

for (const [what, fields, checksum] of measured) {
  test(`the checksum of a block schema is the client's: ${what}`, () => {
    assert.equal(blockSchemaChecksum(parseObject(fields as JsonText)), `sha256:${checksum}`);
  });
}

test('definitions that refer to themselves have a checksum', () => {
  const fields = '{"definitions":{"D":{"d":{"$ref":"#/definitions/D"}}},"p":{"$ref":"#/definitions/D"}}';
  assert.match(blockSchemaChecksum(parseObject(fields as JsonText)), /^sha256:[0-9a-f]{64}$/);
});
