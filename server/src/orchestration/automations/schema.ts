import {
  Enum,
  givenFieldsOnly,
  Maybe,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../schema/kinds.ts';
import { stamps, Tags } from '../filters/field-schema.ts';
import { flag, ids, limit, offset, operator, texts, time } from '../filters/filter-schema.ts';
import { Action } from './action-schema.ts';
import { loopFault } from './loop-check.ts';
import { AnyTrigger } from './trigger-schema.ts';

export { Action } from './action-schema.ts';
export { AnyTrigger } from './trigger-schema.ts';

const automation = {
  name: Type.String(),
  description: withDefault(Type.String(), ''),
  enabled: withDefault(Type.Boolean(), true),
  tags: withDefault(Tags, []),
  trigger: AnyTrigger,
  actions: Type.Array(Action),
  actions_on_trigger: withDefault(Type.Array(Action), []),
  actions_on_resolve: withDefault(Type.Array(Action), []),
};

export const Automation = Shape('Automation', { ...automation, ...stamps }, 'ignore');
export type Automation = Static<typeof Automation>;

export const AutomationCreate = refine(
  Shape('AutomationCreate', { ...automation, owner_resource: Maybe(Type.String()) }),
  loopFault,
);
export type AutomationCreate = Static<typeof AutomationCreate>;

/** An omitted field with a default keeps its stored value. */
export const AutomationUpdate = givenFieldsOnly(
  refine(
    Shape('AutomationUpdate', {
      ...automation,
      description: Type.Optional(automation.description),
      enabled: Type.Optional(automation.enabled),
      tags: Type.Optional(automation.tags),
      actions_on_trigger: Type.Optional(automation.actions_on_trigger),
      actions_on_resolve: Type.Optional(automation.actions_on_resolve),
    }),
    loopFault,
  ),
);
export type AutomationUpdate = Static<typeof AutomationUpdate>;

/** Absent means no change, although the documented default is true. */
export const AutomationPartialUpdate = givenFieldsOnly(
  Shape('AutomationPartialUpdate', { enabled: Type.Optional(withDefault(Type.Boolean(), true)) }),
);
export type AutomationPartialUpdate = Static<typeof AutomationPartialUpdate>;

export const AutomationSort = Enum('AutomationSort', ['CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC']);
export type AutomationSort = Static<typeof AutomationSort>;

const AutomationFilter = Shape('AutomationFilter', {
  operator,
  id: Maybe(Shape('AutomationFilterId', { any_: ids })),
  name: Maybe(Shape('AutomationFilterName', { any_: texts })),
  created: Maybe(Shape('AutomationFilterCreated', { before_: time })),
  tags: Maybe(Shape('AutomationFilterTags', { operator, all_: texts, any_: texts, is_null_: flag })),
});

/** Bodies by the last segment of their route. */
export const automationBodies = {
  count: Parts({ automations: Maybe(AutomationFilter) }, 'Body_count_automations_automations_count_post'),
  filter: Parts(
    { sort: withDefault(AutomationSort, 'NAME_ASC'), offset, automations: Maybe(AutomationFilter), limit },
    'Body_read_automations_automations_filter_post',
  ),
};
