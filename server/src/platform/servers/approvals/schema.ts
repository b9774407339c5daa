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
    enabled: described(Type.Boolean(), 'Whether new tools and tools that changed after their approval are withheld.'),
    manifestVersion: described(Type.Integer(), "Increases with each discovery of the server's capabilities."),
    tools: Type.Array(
      Shape(
        'ToolApproval',
        {
          name: Type.String(),
          state: described(
            OneOf(['approved', 'changed', 'new', 'gone']),
            '`changed` and `new` tools are withheld. `gone`: approved, but no longer offered.',
          ),
          approved: described(
            Nullable(JsonObject()),
            'Description, schemas and annotations at the time of the approval.',
          ),
          offered: described(
            Nullable(JsonObject()),
            'Description, schemas and annotations that the server offers now.',
          ),
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
  manifestVersion: described(Type.Integer(), 'The `manifestVersion` of the tools that were reviewed.'),
  approve: described(
    withDefault(Type.Array(Type.String({ maxLength: 8192 }), { maxItems: MAX_NAMES }), []),
    'Names of tools that are approved as the server offers them now. Others keep their approval.',
  ),
});
export type ToolApprovalsPut = Static<typeof ToolApprovalsPut>;
