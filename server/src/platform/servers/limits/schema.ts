import { described, Nullable, OneOf, refine, Shape, type Static, Type, withDefault } from '../../../schema/kinds.ts';

const MAX_QUOTAS = 20;
const MAX_PER_MINUTE = 1_000_000;
const MAX_AT_ONCE = 10_000;
const MIN_RESULT_BYTES = 1024;
const MAX_RESULT_BYTES = 268_435_456;

const fields = {
  per: described(
    OneOf(['actor', 'server']),
    '`actor`: for each person and service account. `server`: for all together.',
  ),
  tool: described(
    withDefault(Nullable(Type.String({ minLength: 1, maxLength: 200 })), null),
    'Counts only calls of this tool. With `*` and `?` it is a pattern, whose tools are counted together. Null: every request.',
  ),
  requestsPerMinute: withDefault(Nullable(Type.Integer({ minimum: 1, maximum: MAX_PER_MINUTE })), null),
  concurrentRequests: described(
    withDefault(Nullable(Type.Integer({ minimum: 1, maximum: MAX_AT_ONCE })), null),
    'Requests at the same time; an open stream counts as one.',
  ),
};

const QuotaWrite = refine(Shape('QuotaWrite', fields), ({ requestsPerMinute, concurrentRequests }) =>
  requestsPerMinute === null && concurrentRequests === null ? 'must limit requests per minute, or at once' : undefined,
);

const maxResultBytes = described(
  withDefault(Nullable(Type.Integer({ minimum: MIN_RESULT_BYTES, maximum: MAX_RESULT_BYTES })), null),
  'Maximum bytes of an answer, or of a message in a stream. Null: only the limit of the gateway applies.',
);

export const LimitsPut = Shape('LimitsPut', {
  quotas: withDefault(
    refine(Type.Array(QuotaWrite, { maxItems: MAX_QUOTAS }), (quotas) => {
      const places = new Set(quotas.map(({ per, tool }) => JSON.stringify([per, tool])));
      return places.size === quotas.length ? undefined : 'must not have two quotas for the same callers and tool';
    }),
    [],
  ),
  maxResultBytes,
});
export type LimitsPut = Static<typeof LimitsPut>;

export const LimitsAnswer = Shape(
  'Limits',
  {
    quotas: Type.Array(
      Shape(
        'Quota',
        {
          per: fields.per,
          tool: Nullable(Type.String()),
          requestsPerMinute: Nullable(Type.Integer()),
          concurrentRequests: Nullable(Type.Integer()),
        },
        'ignore',
      ),
    ),
    maxResultBytes: Nullable(Type.Integer()),
  },
  'ignore',
);
export type LimitsAnswer = Static<typeof LimitsAnswer>;
