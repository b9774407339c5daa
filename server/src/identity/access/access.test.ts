import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import fc from 'fast-check';
import { type AccessFacts, decide, ORGANIZATION_ROLES, ROLES, type Role } from './access.ts';

const facts = fc.record({
  credential: fc.constantFrom('invalid', 'expired', 'valid'),
  actorState: fc.constantFrom('active', 'suspended', 'deleted'),
  resource: fc.option(
    fc.record({
      defaultRole: fc.constantFrom(null, ...ROLES),
      visibility: fc.constantFrom('discoverable', 'members', 'concealed'),
    }),
    { nil: undefined },
  ),
  organizationRole: fc.constantFrom(null, ...ORGANIZATION_ROLES),
  grant: fc.constantFrom(null, ...ROLES),
  keyRefusal: fc.constantFrom(undefined, 'The key is too old.'),
}) as fc.Arbitrary<AccessFacts>;

const rank = { viewer: 1, editor: 2, admin: 3 };

/** The rules of the documentation as a table of numbers, written independently of the code. */
function model(
  { credential, actorState, resource, organizationRole, grant, keyRefusal }: AccessFacts,
  required: Role,
): number {
  const acts = actorState === 'active' && organizationRole !== null;
  const level = !acts ? 0 : organizationRole === 'admin' ? 3 : rank[grant ?? resource?.defaultRole ?? 'viewer'];
  const hasRole = acts && (organizationRole === 'admin' || grant !== null || (resource?.defaultRole ?? null) !== null);
  const answers: [boolean, number][] = [
    [credential !== 'valid', 401],
    [resource === undefined, 404],
    [!hasRole && resource?.visibility === 'concealed', 404],
    [!hasRole && resource?.visibility === 'members' && organizationRole === null, 404],
    [!hasRole || keyRefusal !== undefined || level < rank[required], 403],
  ];
  return answers.find(([applies]) => applies)?.[1] ?? 200;
}

/** `SIGNALBOX_TEST_DECISIONS=1000000` runs the long form. */
const numRuns = Number(process.env['SIGNALBOX_TEST_DECISIONS'] ?? 20_000);

describe('access decision', () => {
  test('follows the documented rules, for any facts', () => {
    fc.assert(
      fc.property(facts, fc.constantFrom(...ROLES), (given, required) => {
        const decision = decide(given, required);
        assert.equal(decision.allowed ? 200 : decision.status, model(given, required));
        assert.notEqual(decision.reason, '');
      }),
      { numRuns },
    );
  });
});
