import {
  Enum,
  givenFieldsOnly,
  Json,
  Maybe,
  Parts,
  refine,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../schema/kinds.ts';
import { stamps, Tags } from '../filters/field-schema.ts';
import { flag, ids, limit, offset, operator, text, texts } from '../filters/filter-schema.ts';

const MAX_NAME_LENGTH = 255;

export const VariableName = refine(Type.String({ maxLength: MAX_NAME_LENGTH }), (name) =>
  /^[a-z0-9_-]*$/.test(name)
    ? undefined
    : 'Variable name must only contain lowercase letters, numbers, and dashes or underscores.',
);

/** Bytes of compact JSON in UTF-8. Source: the Prefect server 3.9.1, although its message says "less than". */
const MAX_VALUE_BYTES = 5000;

export const VariableValue = refine(Json(), (value) =>
  Buffer.byteLength(value) > MAX_VALUE_BYTES
    ? `Variable value must be less than ${MAX_VALUE_BYTES} characters`
    : undefined,
);

export const Variable = Shape(
  'Variable',
  {
    ...stamps,
    name: Type.String({ maxLength: MAX_NAME_LENGTH }),
    value: Json(),
    tags: Type.Optional(Tags),
  },
  'ignore',
);
export type Variable = Static<typeof Variable>;

export const VariableCreate = Shape('VariableCreate', {
  name: VariableName,
  value: VariableValue,
  tags: Type.Optional(Tags),
});
export type VariableCreate = Static<typeof VariableCreate>;

/** A null `value` is a value; a null `name` or `tags` cannot be stored (409). */
export const VariableUpdate = givenFieldsOnly(
  Shape('VariableUpdate', {
    name: Maybe(VariableName),
    value: Type.Optional(VariableValue),
    tags: Maybe(Tags),
  }),
);
export type VariableUpdate = Static<typeof VariableUpdate>;

export const VariableFilter = Shape('VariableFilter', {
  operator,
  id: Maybe(Shape('VariableFilterId', { any_: ids })),
  name: Maybe(Shape('VariableFilterName', { any_: texts, like_: text })),
  tags: Maybe(Shape('VariableFilterTags', { operator, all_: texts, is_null_: flag })),
});
export type VariableFilter = Static<typeof VariableFilter>;

export const VariableSort = Enum('VariableSort', ['CREATED_DESC', 'UPDATED_DESC', 'NAME_DESC', 'NAME_ASC']);
export type VariableSort = Static<typeof VariableSort>;

const variables = Maybe(VariableFilter);

export const variableBodies = {
  count: Parts({ variables }, 'Body_count_variables_variables_count_post'),
  filter: Parts(
    { offset, variables, sort: withDefault(VariableSort, 'NAME_ASC'), limit },
    'Body_read_variables_variables_filter_post',
  ),
};
