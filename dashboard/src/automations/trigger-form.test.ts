import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { automation, eventTrigger } from '../../test/factories.ts';
import type { Trigger } from './queries.ts';
import {
  converted,
  eventForm,
  formOf,
  groupPart,
  readTrigger,
  stateForm,
  stateSubjects,
  subjectStates,
  type TriggerForm,
} from './trigger-form.ts';

describe('the trigger that a form stands for', () => {
  test('fires when a run enters one of the chosen states', () => {
    assert.deepEqual(readTrigger(stateForm('flow-run', ['Failed', 'Crashed'])), {
      type: 'event',
      posture: 'Reactive',
      match: { 'prefect.resource.id': 'prefect.flow-run.*' },
      match_related: {},
      after: [],
      expect: ['prefect.flow-run.Failed', 'prefect.flow-run.Crashed'],
      for_each: ['prefect.resource.id'],
      threshold: 1,
      within: 0,
    });
  });

  test('fires when a run has stayed in a state, and any other state of it ends the wait', () => {
    const trigger = readTrigger(stateForm('flow-run', ['Running'], { posture: 'stays', seconds: 90 }));
    assert.ok(trigger && 'posture' in trigger);
    assert.deepEqual(
      [trigger.posture, trigger.after, trigger.expect, trigger.within],
      ['Proactive', ['prefect.flow-run.Running'], ['prefect.flow-run.*'], 90],
    );
  });

  test('leaves out the runs of subflows, and is read again as the same form', () => {
    const form = stateForm('flow-run', ['Failed'], { topOnly: true });
    const trigger = readTrigger(form);
    assert.ok(trigger && 'posture' in trigger);
    assert.deepEqual(trigger.match, { 'prefect.resource.id': 'prefect.flow-run.*', 'signalbox.subflow': 'no' });
    assert.deepEqual(formOf(trigger), form);
  });

  test('is narrowed by what belongs to a run, and for other subjects by the objects themselves', () => {
    const runs = readTrigger(stateForm('flow-run', ['Failed'], { scope: ['prefect.flow.1'] }));
    assert.ok(runs && 'posture' in runs);
    assert.deepEqual(runs.match, { 'prefect.resource.id': 'prefect.flow-run.*' });
    assert.deepEqual(runs.match_related, { 'prefect.resource.id': ['prefect.flow.1'] });
    const pools = readTrigger(stateForm('work-pool', ['paused'], { scope: ['prefect.work-pool.1'] }));
    assert.ok(pools && 'posture' in pools);
    assert.deepEqual(pools.match, { 'prefect.resource.id': ['prefect.work-pool.1'] });
    assert.deepEqual(pools.match_related, {});
  });

  test('of a group has the triggers of its parts, and only a compound says how many must fire', () => {
    const parts = [groupPart(stateForm('flow-run', ['Failed'])), groupPart(eventForm(eventTrigger()))];
    const compound = readTrigger({ kind: 'compound', require: 1, seconds: 60, parts });
    const sequence = readTrigger({ kind: 'sequence', require: 1, seconds: null, parts });
    assert.ok(compound && 'triggers' in compound && sequence && 'triggers' in sequence);
    assert.equal(compound.triggers.length, 2);
    assert.deepEqual([compound.type, 'require' in compound, compound.within], ['compound', true, 60]);
    assert.deepEqual([sequence.type, 'require' in sequence, sequence.within], ['sequence', false, null]);
  });

  test('does not exist while a field holds something other than JSON, or JSON that is no trigger', () => {
    const text = (given: string): TriggerForm => ({ kind: 'json', text: given });
    for (const given of ['', '{"type": "sequence", ', '{}', '[]', 'null', '3', '"event"', '{"triggers": [{}]}']) {
      assert.equal(readTrigger(text(given)), undefined, given);
    }
    assert.equal(readTrigger({ ...eventForm(eventTrigger()), match: '{' }), undefined);
    const parts = [groupPart(text('nonsense'))];
    assert.equal(readTrigger({ kind: 'compound', require: 'all', seconds: null, parts }), undefined);
    assert.deepEqual(readTrigger(text('{"triggers": [{"posture": "Reactive"}]}')), {
      triggers: [{ posture: 'Reactive' }],
    });
  });
});

describe('the form of a trigger', () => {
  test('of a state is the short one, and stands for the same trigger', () => {
    for (const [kind] of stateSubjects) {
      for (const posture of ['enters', 'stays'] as const) {
        const states = subjectStates[kind].map(([state]) => state);
        const form = stateForm(kind, states, { posture, scope: ['prefect.flow.1', 'prefect.tag.prod'], seconds: 60 });
        const trigger = readTrigger(form);
        assert.ok(trigger);
        assert.deepEqual(formOf(trigger), { ...form, seconds: posture === 'stays' ? 60 : 3600 });
      }
    }
  });

  test('of a state is the short one whatever the server adds to it', () => {
    const trigger = readTrigger(stateForm('flow-run', ['Failed', 'Crashed'], { scope: ['prefect.flow.1'] }));
    const stored = {
      ...trigger,
      id: 'c7c6a8a4-8a8e-4b6b-8d36-0b2d1b2d7f11',
      expect: ['prefect.flow-run.Crashed', 'prefect.flow-run.Failed'],
      match: { 'prefect.resource.id': ['prefect.flow-run.*'] },
      match_related: { 'prefect.resource.id': 'prefect.flow.1' },
      within: '0',
    } as Trigger;
    const form = formOf(stored);
    assert.equal(form.kind, 'flow-run');
    assert.ok('scope' in form);
    assert.deepEqual(form.scope, ['prefect.flow.1']);
  });

  test('is the long one for all that the short one cannot say', () => {
    const base = readTrigger(stateForm('flow-run', ['Failed']));
    const others: object[] = [
      { threshold: 2 },
      { within: 60 },
      { for_each: [] },
      { expect: ['prefect.flow-run.Invented'] },
      { expect: ['prefect.constructor.Failed'] },
      { expect: ['prefect.flow-run.Failed', 'prefect.work-pool.paused'] },
      { match: { 'prefect.resource.id': 'prefect.flow-run.*', 'prefect.resource.name': 'x' } },
      { match_related: [{ 'prefect.resource.id': 'prefect.flow.1' }, { 'prefect.resource.id': 'prefect.tag.a' }] },
      { after: ['prefect.flow-run.Running'] },
    ];
    for (const given of others) {
      const trigger = { ...base, ...given } as Trigger;
      const form = formOf(trigger);
      assert.equal(form.kind, 'event', JSON.stringify(given));
      const { type: _, ...same } = readTrigger(form) as object & { type?: string };
      assert.deepEqual({ type: 'event', ...same }, { ...trigger }, JSON.stringify(given));
    }
  });

  test('of a group has a form for each part, and stands for the same trigger', () => {
    const inner = { type: 'compound', require: 'any', within: 30, triggers: [eventTrigger({ expect: ['b'] })] };
    const trigger = { type: 'sequence', within: null, triggers: [eventTrigger({ expect: ['a'] }), inner] } as Trigger;
    const form = formOf(automation({ trigger }).trigger);
    assert.ok('parts' in form);
    assert.deepEqual(
      [form.kind, form.seconds, form.parts.map((part) => part.form.kind)],
      ['sequence', null, ['event', 'compound']],
    );
    assert.equal(new Set(form.parts.map(({ key }) => key)).size, 2);
    assert.deepEqual(readTrigger(form), trigger);
  });

  test('of a trigger with few words has the defaults of the server', () => {
    assert.deepEqual(formOf({ posture: 'Reactive' }), {
      kind: 'event',
      posture: 'Reactive',
      expect: [],
      after: [],
      match: '{}',
      matchRelated: '{}',
      forEach: [],
      threshold: 1,
      seconds: 0,
    });
  });
});

describe('another kind of form', () => {
  test('keeps the trigger as JSON and in detail', () => {
    const form = stateForm('flow-run', ['Failed']);
    const json = converted(form, 'json');
    assert.deepEqual(readTrigger(json), readTrigger(form));
    const detailed = converted(form, 'event');
    assert.equal(detailed.kind, 'event');
    assert.deepEqual(readTrigger(detailed), readTrigger(form));
  });

  test('puts the trigger first in a group, beside one to be chosen', () => {
    const form = stateForm('work-pool', ['paused']);
    const group = converted(form, 'sequence');
    assert.ok('parts' in group);
    assert.deepEqual(
      group.parts.map((part) => part.form.kind),
      ['work-pool', 'flow-run'],
    );
  });

  test('keeps the parts of a group in the other kind of group', () => {
    const parts = [
      groupPart(eventForm(eventTrigger({ expect: ['a'] }))),
      groupPart(eventForm(eventTrigger({ expect: ['b'] }))),
    ];
    const group = converted({ kind: 'compound', require: 1, seconds: 5, parts }, 'sequence');
    assert.ok('parts' in group);
    assert.deepEqual([group.kind, group.require, group.seconds, group.parts.length], ['sequence', 'all', 5, 2]);
  });

  test('begins anew where it can keep nothing', () => {
    assert.deepEqual(converted({ kind: 'json', text: '{' }, 'json'), { kind: 'json', text: '{}' });
    assert.deepEqual(converted({ kind: 'json', text: '{' }, 'event'), eventForm({ posture: 'Reactive' }));
    assert.deepEqual(converted(eventForm(eventTrigger()), 'work-pool'), stateForm('work-pool', ['not-ready']));
  });
});
