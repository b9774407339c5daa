import { Resource } from '../../../events/schema.ts';
import { DateTime, described, Maybe, Nullable, RecordOf, Shape, Type, Uuid } from '../../../schema/kinds.ts';
import { AnyTrigger } from '../../automations/schema.ts';
import { StateType } from '../../filters/field-schema.ts';

/** Events that one dry run evaluates at most. */
export const MOST_EVENTS = 20_000;
export const MOST_FIRINGS = 10_000;

export const DryRunBody = Shape('AutomationDryRun', {
  trigger: AnyTrigger,
  since: DateTime(),
  until: described(Maybe(DateTime()), 'Default: now.'),
});

const SeenEvent = Shape(
  'DryRunEvent',
  { id: Uuid(), occurred: DateTime(), event: Type.String(), resource: Resource },
  'ignore',
);

export const DryRunView = Shape(
  'DryRunView',
  {
    since: DateTime(),
    until: described(
      DateTime(),
      'The end of the period that was examined; earlier than requested if the dry run ended early.',
    ),
    is_complete: described(
      Type.Boolean(),
      `False if the dry run ended early: after ${MOST_EVENTS} events, ${MOST_FIRINGS} firings or some seconds of work.`,
    ),
    matched: described(Type.Integer(), 'Events that the trigger expects and whose labels match.'),
    fired: described(Type.Integer(), 'Number of times that the automation would have fired.'),
    missed: described(
      Type.Array(
        Shape(
          'MissedFailures',
          { state_type: StateType, state_name: Type.String(), count: described(Type.Integer(), 'At most 5,000.') },
          'ignore',
        ),
      ),
      'For a trigger that waits for failures of all flow runs: the names under which others failed in this period, at most 10.',
    ),
    history: described(
      Type.Array(
        Shape('DryRunInterval', { start: DateTime(), matched: Type.Integer(), fired: Type.Integer() }, 'ignore'),
      ),
      'In 60 intervals from `since` to `until`.',
    ),
    events: described(Type.Array(SeenEvent), 'The newest 50 matching events, newest first.'),
    firings: described(
      Type.Array(
        Shape(
          'DryRunFiring',
          {
            triggered: DateTime(),
            labels: described(RecordOf(Type.String()), 'Values of the labels in `for_each`.'),
            event: described(Nullable(SeenEvent), 'The last event of the window; null when there was none.'),
          },
          'ignore',
        ),
      ),
      'The newest 50 firings, newest first.',
    ),
  },
  'ignore',
);
