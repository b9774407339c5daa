import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandWords } from './command-words.ts';

test('a command is split at white space, with quotes and backslashes, and without expansion', () => {
  for (const [text, words] of [
    ['python main.py', ['python', 'main.py']],
    ['  a\t b\n', ['a', 'b']],
    [`a 'b c' "d \\" e" f\\ g`, ['a', 'b c', 'd " e', 'f g']],
    [`'a'"b"c`, ['abc']],
    [`a '' ""`, ['a', '', '']],
    ['a $HOME * | rm; `b` > c', ['a', '$HOME', '*', '|', 'rm;', '`b`', '>', 'c']],
    [`'a\\'`, ['a\\']],
  ] as const) {
    assert.deepEqual(commandWords(text), words, text);
  }
  for (const text of ['', '  ', `a 'b`, `a "b`, 'a\\']) assert.equal(commandWords(text), undefined, text);
});
