/** A million policies: SIGNALBOX_TEST_POLICIES=1000000. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CAPABILITY_KINDS, type CapabilityKind } from '../../protocol/methods.ts';
import { Policy, type PolicyRule } from './policy.ts';

const POLICIES = Number(process.env['SIGNALBOX_TEST_POLICIES'] ?? 5000);
const CALLS_EACH = 4;

const actors = ['ada', 'eve', 'bob'];
const roles = ['viewer', 'editor', 'admin'] as const;
const letters = ['a', 'b', 'A', '/', '*', '?', 'é', '😀', '.', '\\', '['];

/** A small random generator whose sequence a seed repeats. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** A model of the rules: the first match decides, in the order that `policy.ts` documents. */
function modelAllows(rules: readonly PolicyRule[], actor: string, role: string, kind: CapabilityKind, name: string) {
  if (rules.length === 0 || role === 'admin') return true;
  const isPattern = (pattern: string) => /[*?]/.test(pattern);
  const matches = ({ capability, pattern }: PolicyRule) =>
    capability === kind && (isPattern(pattern) ? expressionOf(pattern).test(name) : pattern === name);
  for (const level of [rules.filter(({ actorId }) => actorId === actor), rules.filter((rule) => rule.role === role)]) {
    const matching = level.filter(matches);
    for (const group of [matching.filter((rule) => !isPattern(rule.pattern)), matching]) {
      if (group.some(({ effect }) => effect === 'deny')) return false;
      if (group.length > 0) return true;
    }
  }
  return false;
}

function expressionOf(pattern: string): RegExp {
  const parts = [...pattern].map((letter) =>
    letter === '*' ? '[^]*' : letter === '?' ? '[^]' : letter.replace(/[\\^$.|+()[\]{}/-]/g, '\\$&'),
  );
  return new RegExp(`^${parts.join('')}$`, 'u');
}

describe('policies', () => {
  test(`${POLICIES} random policies decide each call as the model does`, () => {
    const random = numbersFrom(Number(process.env['SIGNALBOX_TEST_SEED'] ?? 1));
    const one = <T>(values: readonly T[]): T => values[random(values.length)]!;
    const text = (longest: number) => Array.from({ length: 1 + random(longest) }, () => one(letters)).join('');
    const plain = (longest: number) => text(longest).replaceAll(/[*?]/g, 'a');
    const counts = { allowed: 0, denied: 0 };
    for (let count = 0; count < POLICIES; count++) {
      const rules = Array.from({ length: random(7) }, (_, index): PolicyRule => {
        const own = random(2) === 0;
        return {
          id: String(index),
          role: own ? null : one(['viewer', 'editor']),
          actorId: own ? one(actors) : null,
          capability: one(CAPABILITY_KINDS),
          pattern: random(3) === 0 ? plain(2) : text(3),
          effect: one(['allow', 'deny']),
        };
      });
      const policy = new Policy(rules);
      for (let call = 0; call < CALLS_EACH; call++) {
        const [actor, role, kind, name] = [one(actors), one(roles), one(CAPABILITY_KINDS), plain(3)] as const;
        const { allowed, reason } = policy.viewOf(actor, role).decide(kind, name);
        counts[allowed ? 'allowed' : 'denied'] += 1;
        if (allowed !== modelAllows(rules, actor, role, kind, name)) {
          assert.fail(`${JSON.stringify(rules)} for ${actor}, ${role}, ${kind} ${name}: ${allowed}, because ${reason}`);
        }
      }
    }
    assert.ok(counts.allowed > POLICIES / 10 && counts.denied > POLICIES / 10, JSON.stringify(counts));
  });

  test('actors with the same view of the lists share it, and others do not', () => {
    const rule = { id: '1', role: null, actorId: null, capability: 'tool', pattern: '*', effect: 'allow' } as const;
    const policy = new Policy([
      { ...rule, role: 'viewer' },
      { ...rule, actorId: 'ada' },
    ]);
    const keyOf = (actor: string, role: 'viewer' | 'editor') => policy.viewOf(actor, role).key;
    assert.equal(keyOf('bob', 'viewer'), keyOf('eve', 'viewer'));
    assert.notEqual(keyOf('bob', 'viewer'), keyOf('bob', 'editor'));
    assert.notEqual(keyOf('ada', 'viewer'), keyOf('bob', 'viewer'));
  });

  test('a name beyond the length limit is denied without matching', () => {
    const policy = new Policy([
      { id: '1', role: 'viewer', actorId: null, capability: 'tool', pattern: '*', effect: 'allow' },
    ]);
    assert.equal(policy.viewOf('ada', 'viewer').decide('tool', 'a'.repeat(8193)).allowed, false);
  });
});
