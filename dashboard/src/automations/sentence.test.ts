import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventTrigger } from '../../test/factories.ts';
import type { Trigger } from './queries.ts';
import { actionSentence, actionTitles, missedSentence, objectName, secondsOf, triggerSentence } from './sentence.ts';

const names = { 'prefect.flow.1': 'report', 'prefect.deployment.2': 'nightly', 'prefect.automation.3': 'watch' };
const sentence = (given: Parameters<typeof eventTrigger>[0]) => triggerSentence(eventTrigger(given), names);

describe('the sentence of a trigger', () => {
  test('names the state that a run enters', () => {
    assert.equal(sentence({ expect: ['prefect.flow-run.Failed'] }), 'A flow run becomes Failed');
    assert.equal(
      sentence({ expect: ['prefect.flow-run.Failed', 'prefect.flow-run.Crashed', 'prefect.flow-run.TimedOut'] }),
      'A flow run becomes Failed, Crashed or TimedOut',
    );
  });

  test('has words for the status of work pools, queues and deployments', () => {
    assert.equal(sentence({ expect: ['prefect.work-pool.not-ready'] }), 'A work pool becomes not ready');
    assert.equal(
      sentence({ expect: ['prefect.deployment.created', 'prefect.deployment.deleted'] }),
      'A deployment is created or is deleted',
    );
  });

  test('names foreign events as they are, and says when any event counts', () => {
    assert.equal(sentence({ expect: ['order.placed'] }), 'The event order.placed comes');
    assert.equal(
      sentence({ expect: ['order.placed', 'prefect.flow-run.Failed'] }),
      'The event order.placed or prefect.flow-run.Failed comes',
    );
    assert.equal(sentence({ expect: [] }), 'Any event comes');
    assert.equal(sentence({ expect: ['prefect.flow-run.*'] }), 'Anything happens to a flow run');
  });

  test('says how often, within what time and after what', () => {
    assert.equal(
      sentence({ threshold: 3, within: 600, for_each: ['prefect.resource.id'] }),
      'The event order.placed comes 3 times within 10 min, for each resource',
    );
    assert.equal(
      sentence({ expect: ['prefect.flow-run.Completed'], after: ['prefect.flow-run.Failed'] }),
      'A flow run becomes Completed after a flow run becomes Failed',
    );
    assert.equal(
      sentence({ after: ['order.paid'], for_each: ['prefect.resource.id'] }),
      'The event order.placed comes after the event order.paid comes, for each resource',
    );
  });

  test('counts for each resource and label that it names', () => {
    assert.equal(
      sentence({ threshold: 2, for_each: ['prefect.resource.id', 'related:flow:prefect.resource.id', 'shop'] }),
      'The event order.placed comes 2 times, for each resource, flow and shop',
    );
  });

  test('names the objects that it is narrowed to, and not those of every kind', () => {
    const expect = ['prefect.flow-run.Failed'];
    const match = { 'prefect.resource.id': 'prefect.flow-run.*' };
    const match_related = {
      'prefect.resource.id': ['prefect.flow.1', 'prefect.tag.prod'],
      'prefect.resource.role': 'flow',
    };
    assert.equal(sentence({ expect, match }), 'A flow run becomes Failed');
    assert.equal(sentence({ expect, match, match_related }), 'A flow run becomes Failed (flow report or tag prod)');
    assert.equal(
      sentence({ match: { 'prefect.resource.name': 'oven', shop: ['north', 'south'] } }),
      'The event order.placed comes (name oven, shop north or south)',
    );
  });

  test('of every related object has a part for each', () => {
    const match_related = [{ 'prefect.resource.id': 'prefect.flow.1' }, { 'prefect.resource.id': 'prefect.tag.prod' }];
    assert.equal(sentence({ match_related }), 'The event order.placed comes (flow report, tag prod)');
  });

  test('says that a run stays in a state', () => {
    const stays = {
      posture: 'Proactive',
      after: ['prefect.flow-run.Running', 'prefect.flow-run.Pending'],
      expect: ['prefect.flow-run.*'],
      for_each: ['prefect.resource.id'],
      within: 3600,
    } as const;
    const given = { ...stays, after: [...stays.after], expect: [...stays.expect], for_each: [...stays.for_each] };
    assert.equal(sentence(given), 'A flow run stays Running or Pending for 1 h');
    assert.equal(
      sentence({ ...given, match_related: { 'prefect.resource.id': 'prefect.flow.1' } }),
      'A flow run (flow report) stays Running or Pending for 1 h',
    );
    // Another run that moves ends the wait, so it is not this run that stays.
    assert.equal(
      sentence({ ...given, for_each: [] }),
      'Nothing happens to a flow run for 1 h after a flow run becomes Running or Pending',
    );
  });

  test('says what does not happen', () => {
    const given = { posture: 'Proactive', within: 120 } as const;
    assert.equal(sentence(given), 'No event order.placed comes for 2 min');
    assert.equal(sentence({ ...given, expect: [] }), 'Nothing happens for 2 min');
    assert.equal(
      sentence({ ...given, expect: ['prefect.flow-run.Completed'] }),
      'No flow run becomes Completed for 2 min',
    );
    assert.equal(sentence({ ...given, threshold: 3 }), 'Fewer than 3 times the event order.placed comes for 2 min');
  });

  test('of a group joins those of its parts, in their order where it counts', () => {
    const [first, second] = [eventTrigger({ expect: ['a'] }), eventTrigger({ expect: ['b'] })];
    const group = (given: object) =>
      triggerSentence({ triggers: [first, second], within: null, ...given } as Trigger, {});
    assert.equal(group({ require: 'all' }), 'All of these: the event a comes; the event b comes');
    assert.equal(
      group({ require: 'any', within: 60 }),
      'Any of these: the event a comes; the event b comes, within 1 min',
    );
    assert.equal(group({ require: 2 }), '2 of these: the event a comes; the event b comes');
    assert.equal(group({ within: 60 }), 'In this order: the event a comes; then the event b comes, within 1 min');
    const inner = { triggers: [first], within: null, require: 'all' };
    assert.equal(
      group({ triggers: [second, inner] }),
      'In this order: the event b comes; then (all of these: the event a comes)',
    );
  });

  test('of hostile texts is their text', () => {
    assert.equal(
      sentence({ expect: ['<img src=x onerror=alert(1)>'] }),
      'The event <img src=x onerror=alert(1)> comes',
    );
    assert.equal(sentence({ expect: ['prefect.constructor.x'] }), 'The event prefect.constructor.x comes');
    assert.equal(sentence({ expect: ['prefect.flow-run.constructor'] }), 'A flow run becomes constructor');
    assert.equal(
      sentence({ match: { 'prefect.resource.id': ['constructor', '__proto__'] } }),
      'The event order.placed comes (constructor or __proto__)',
    );
    assert.equal(sentence({ match: { $1: '$& $1' } }), 'The event order.placed comes ($1 $& $1)');
  });
});

test('an object is called by its kind and name, and by its id where the name is not known', () => {
  assert.equal(objectName('prefect.flow.1', names), 'flow report');
  assert.equal(objectName('prefect.work-pool.9', { 'prefect.work-pool.9': 'big' }), 'work pool big');
  assert.equal(objectName('prefect.flow.8', names), 'prefect.flow.8');
  assert.equal(objectName('prefect.tag.a.b', names), 'tag a.b');
  assert.equal(objectName('oven.1', names), 'oven.1');
});

test('a time of a trigger is seconds, and 0 for anything else', () => {
  assert.deepEqual(['60', 2.5, null, undefined, 'PT1M', Number.NaN].map(secondsOf), [60, 2.5, 0, 0, 0, 0]);
});

describe('the sentence of an action', () => {
  const action = (given: object) => actionSentence(given as Parameters<typeof actionSentence>[0], names);

  test('names the object that it acts on', () => {
    assert.equal(action({ type: 'run-deployment', deployment_id: '2' }), 'Run the deployment nightly');
    assert.equal(action({ type: 'pause-deployment', deployment_id: '2' }), 'Pause the deployment nightly');
    assert.equal(action({ type: 'pause-automation', automation_id: '3' }), 'Switch off the automation watch');
  });

  test('says that the object was deleted', () => {
    assert.equal(action({ type: 'run-deployment', deployment_id: 'gone' }), 'Run the deployment that was deleted');
  });

  test('without an object is about that of the event', () => {
    assert.equal(action({ type: 'pause-work-queue', work_queue_id: null }), 'Pause the work queue of the event');
    assert.equal(action({ type: 'resume-automation' }), 'Switch on the automation of the event');
  });

  test('names the block that a notification goes through', () => {
    const blocks = { 'prefect.block-document.4': 'ops' };
    const given = { type: 'send-notification', block_document_id: '4', subject: '', body: '' } as const;
    assert.equal(actionSentence(given, blocks), 'Send a notification by block ops');
  });

  test('says to which state the run changes, by its name where it has one', () => {
    assert.equal(
      action({ type: 'change-flow-run-state', state: 'CANCELLED' }),
      'Change the state of the run to cancelled',
    );
    assert.equal(
      action({ type: 'change-flow-run-state', state: 'FAILED', name: 'Rejected' }),
      'Change the state of the run to Rejected',
    );
  });

  test('of a type without an object is its title, and of an unknown type its name', () => {
    assert.equal(action({ type: 'cancel-flow-run' }), actionTitles['cancel-flow-run']);
    assert.equal(action({}), 'Do nothing');
    assert.equal(action({ type: 'ring-a-bell' }), 'ring-a-bell');
  });
});

test('the failures that a trigger misses are counted by the names of their states', () => {
  assert.equal(
    missedSentence([
      { state_type: 'FAILED', state_name: 'TimedOut', count: 4 },
      { state_type: 'CRASHED', state_name: 'Gone', count: 1 },
    ]),
    '4 more runs failed as TimedOut and 1 more run crashed as Gone.',
  );
});
