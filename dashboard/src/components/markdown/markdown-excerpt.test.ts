import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownExcerpt } from './markdown-excerpt.ts';

test('a list shows the first line of a Markdown text in plain words', () => {
  for (const [text, plain] of [
    ['# Sales of **today**', 'Sales of today'],
    ['\n\n---\n\n> A *quoted* line\nand more', 'A quoted line'],
    ['- [the report](https://example.org/a?b=c) and `code`', 'the report and code'],
    ['![chart](chart.png)', 'chart'],
    ['```python\nprint(1)\n```', 'print(1)'],
    ['1. __first__ of ~~two~~ three', 'first of two three'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['an _emphasis_', 'an emphasis'],
    ['plain', 'plain'],
    ['', ''],
  ] as const) {
    assert.equal(markdownExcerpt(text), plain, text);
  }
});

test('a long line ends with an ellipsis, and the worst text is read at once', () => {
  assert.equal(markdownExcerpt('a'.repeat(1000)), `${'a'.repeat(300)}…`);
  for (const part of ['[', '**', '`', '_', '![](', '# ']) {
    assert.ok(markdownExcerpt(part.repeat(1_000_000)).length <= 301, part);
  }
});
