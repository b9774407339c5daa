import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerSentence } from './sentence.ts';
import { templates } from './templates.ts';
import { readTrigger } from './trigger-form.ts';

test('each template has a trigger that does what its title says', () => {
  const sentences = templates.map(({ title, form }) => {
    const trigger = readTrigger(form);
    return [title, trigger ? triggerSentence(trigger, {}) : undefined];
  });
  assert.deepEqual(sentences, [
    ['Notify when a run fails or crashes', 'A flow run becomes Failed, TimedOut or Crashed (top-level runs only)'],
    ['Cancel a run that runs for more than an hour', 'A flow run stays Running for 1 h'],
    ['Notify when a work pool loses its workers', 'A work pool becomes not ready'],
    ['Notify when a deployment is not ready', 'A deployment becomes not ready'],
    ['Run a deployment when an event occurs', 'The event order.placed comes'],
    ['Notify when an event has not come for an hour', 'No event order.placed comes for 1 h'],
  ]);
});

test('each template has its own address', () => {
  assert.equal(new Set(templates.map(({ key }) => key)).size, templates.length);
});
