import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { excerptOf, linksIn, marksIn, wantedIn } from './text-parts.ts';

const links = (text: string) => linksIn(text).flatMap(({ href }) => href ?? []);
const marked = (text: string, ...wanted: string[]) =>
  marksIn(text, wanted)
    .map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part))
    .join('');

describe('the text of a log line', () => {
  test('has links for addresses of the web, without the signs after them', () => {
    assert.deepEqual(links('see https://a.example/x?y=1#z, (http://b.example/p).'), [
      'https://a.example/x?y=1#z',
      'http://b.example/p',
    ]);
    assert.deepEqual(links('javascript:alert(1) data:text/html,x file:///etc/passwd ftp://x mailto:a@b.c'), []);
    assert.deepEqual(links('http:// https://'), []);
  });

  test('stays as it was, whatever is a link or a mark in it', () => {
    for (const text of [
      '',
      'plain',
      'https://a.example',
      'x https://a.example/b. y http://c',
      'http://['.repeat(500),
    ]) {
      assert.equal(
        linksIn(text)
          .map(({ text: part }) => part)
          .join(''),
        text,
      );
      assert.equal(
        marksIn(text, ['a', '.', 'http'])
          .map(({ text: part }) => part)
          .join(''),
        text,
      );
    }
  });

  test('is marked where a wanted text stands, in any case and without patterns', () => {
    assert.equal(marked('Error in ERRORS', 'error'), '[Error] in [ERROR]S');
    assert.equal(marked('a.b a-b (x)', 'a.b', '(x)'), '[a.b] a-b [(x)]');
    assert.equal(marked('aaa', 'a').length, 9);
    assert.equal(marked('nothing', ''), 'nothing');
  });

  test('is searched for by words and phrases, without what is excluded', () => {
    assert.deepEqual(wantedIn('one "two three" -four !five +six "seven'), ['one', 'two three', 'six', 'seven']);
    assert.deepEqual(wantedIn(' - " '), []);
  });

  test('is shown as its first line and those that match', () => {
    const message = ['Traceback:', 'a', 'b', 'c', 'd', 'KeyError: x'].join('\n');
    assert.deepEqual(excerptOf(message, ['keyerror'], 3), ['Traceback:', 'a', undefined, 'KeyError: x']);
    assert.deepEqual(excerptOf('one\ntwo', [], 3), ['one', 'two']);
    assert.deepEqual(excerptOf(message, [], 2), ['Traceback:', 'a', undefined]);
  });
});
