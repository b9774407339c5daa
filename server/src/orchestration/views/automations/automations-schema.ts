import { DateTime, described, Nullable, RecordOf, Shape, Type, withDefault } from '../../../schema/kinds.ts';
import { Automation } from '../../automations/schema.ts';

export const MOST_AUTOMATIONS = 200;

export const automationsQuery = Type.Object({
  offset: described(withDefault(Type.Integer({ minimum: 0 }), 0), 'Number of automations on the previous pages.'),
});

const names = described(
  RecordOf(Type.String()),
  'Names of the objects that triggers and actions refer to, by resource id such as `prefect.deployment.<id>`.',
);

const AutomationRow = Shape(
  'AutomationRow',
  {
    automation: Automation,
    last_triggered: Nullable(DateTime()),
    triggered_count: described(Type.Integer(), 'Firings since `since`, counted up to 10,000.'),
    failed_count: described(Type.Integer(), 'Failed actions since `since`.'),
    last_failure: described(Nullable(Type.String()), 'Why the last of these actions failed.'),
  },
  'ignore',
);

export const AutomationsView = Shape(
  'AutomationsView',
  {
    since: described(DateTime(), 'A week ago.'),
    automations: described(Type.Array(AutomationRow), 'By name.'),
    names,
    next: described(Nullable(Type.Integer()), 'The `offset` of the next page; null on the last one.'),
  },
  'ignore',
);

export const AutomationView = Shape('AutomationView', { since: DateTime(), row: AutomationRow, names }, 'ignore');
