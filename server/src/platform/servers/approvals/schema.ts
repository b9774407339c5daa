import {
  described,
  JsonObject,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  withDefault,
} from '../../../schema/kinds.ts';

const MAX_NAMES = 5000;

export const ToolApprovals = Shape(
  'ToolApprovals',
  {
    enabled: described(Type.Boolean(), 'Whether tools that are not as they were approved are held back.'),
    manifestVersion: described(Type.Integer(), 'Goes up whenever the server was asked what it offers.'),
    tools: Type.Array(
      Shape(
        'ToolApproval',
        {
          name: Type.String(),
          state: described(
            OneOf(['approved', 'changed', 'new', 'gone']),
            '`changed` and `new` ones are held back. `gone`: approved, and no longer offered.',
          ),
          approved: described(Nullable(JsonObject()), 'Description, schemas and annotations when it was approved.'),
          offered: described(Nullable(JsonObject()), 'The same as the server offers them now.'),
        },
        'ignore',
      ),
    ),
  },
  'ignore',
);
export type ToolApprovals = Static<typeof ToolApprovals>;

export const ToolApprovalsPut = Shape('ToolApprovalsPut', {
  enabled: Type.Boolean(),
  manifestVersion: described(Type.Integer(), 'That of the tools which were looked at.'),
  approve: described(
    withDefault(Type.Array(Type.String({ maxLength: 8192 }), { maxItems: MAX_NAMES }), []),
    'Names of tools that are approved as the server offers them now. Others keep their approval.',
  ),
});
export type ToolApprovalsPut = Static<typeof ToolApprovalsPut>;
