import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { treeOf } from './markdown-tree.ts';

const written = (text: string) => JSON.stringify(treeOf(text));

describe('Markdown', () => {
  test('is read with tables, lists of tasks and footnotes', () => {
    const text = '# Title\n\n| a |\n| - |\n| b |\n\n- [x] done\n\nA note[^1]\n\n[^1]: here';
    for (const element of ['h1', 'table', 'input', 'sup']) assert.ok(written(text)?.includes(`"tagName":"${element}"`));
  });

  test('has HTML as text', () => {
    const tree = written('<img src=x onerror="x()"> and <b>bold</b>\n\n<script>x()</script>');
    assert.match(String(tree), /"value":"<script>x\(\)<\/script>"/);
    assert.doesNotMatch(String(tree), /"type":"raw"|"tagName":"(img|b|script)"/);
  });

  test('that makes more elements than a page can draw, or deeper ones, has no tree', () => {
    assert.equal(treeOf('*a* '.repeat(5000)), undefined);
    assert.equal(treeOf(`${'> '.repeat(60)}a`), undefined);
    assert.ok(treeOf('*a* '.repeat(500)));
    assert.ok(treeOf(`${'> '.repeat(10)}a`));
  });
});
