import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine, shortMessage } from './state-message.ts';

test('the message of a state is its first line, without the words that clients put before each', () => {
  assert.equal(
    shortMessage('Flow run encountered an exception: ZeroDivisionError: division by zero\nmore'),
    'ZeroDivisionError: division by zero',
  );
  assert.equal(shortMessage('Task run encountered an exception ValueError'), 'ValueError');
  assert.equal(shortMessage('The disk was full'), 'The disk was full');
  assert.equal(
    shortMessage('It said: Flow run encountered an exception: x'),
    'It said: Flow run encountered an exception: x',
  );
});

test('a state without a message has an empty one', () => {
  assert.deepEqual([shortMessage(null), shortMessage(undefined), shortMessage(''), firstLine('\nx')], ['', '', '', '']);
});
