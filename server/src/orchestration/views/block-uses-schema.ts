import { described, OneOf, Shape, Type, Uuid } from '../../schema/kinds.ts';

/** The most uses of each kind on the page. */
export const MOST_USES = 100;

export const BlockUses = Shape(
  'BlockUses',
  {
    uses: described(
      Type.Array(
        Shape(
          'BlockUse',
          {
            type: OneOf(['block_document', 'automation', 'deployment', 'work_pool']),
            id: Uuid(),
            name: Type.String(),
          },
          'ignore',
        ),
      ),
      `At most ${MOST_USES} objects of each type.`,
    ),
    is_result_storage: described(Type.Boolean(), 'Whether the block is the result storage of flows that name none.'),
  },
  'ignore',
);
