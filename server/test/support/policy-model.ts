/** A capability policy as tests draw it, and what it allows by the rules of docs/gateway.md, said once more. */
import assert from 'node:assert/strict';
import { ORGANIZATION, type Rule, type TestGateway } from './gateway.ts';

export type Who = 'viewer' | 'editor' | 'admin';

export interface PolicyCase {
  readonly level: 'viewer' | 'editor' | 'actor' | 'other';
  readonly capability: Rule['capability'];
  readonly pattern: string;
  readonly effect: 'allow' | 'deny';
}

interface Named {
  readonly id: string;
}

/** Sets the policy of a server; `actor` and `other` are whom rules for one actor are about. */
export async function setPolicy(
  { admin }: TestGateway,
  slug: string,
  rules: readonly PolicyCase[],
  actor: Named,
  other: Named,
): Promise<void> {
  const given = rules.map(({ level, ...rule }): Omit<Rule, 'role'> & { role: Rule['role'] | null } => ({
    ...rule,
    role: level === 'viewer' || level === 'editor' ? level : null,
    ...(level === 'actor' ? { actorId: actor.id } : level === 'other' ? { actorId: other.id } : {}),
  }));
  const { status, text } = await admin.put(`${ORGANIZATION}/servers/${slug}/policy`, { rules: given });
  assert.equal(status, 200, text);
}

/** The actor's rules come before the role's, exact names before patterns, and deny before allow. */
export function modelAllows(
  rules: readonly PolicyCase[],
  who: Who,
  capability: PolicyCase['capability'],
  name: string,
): boolean {
  if (rules.length === 0 || who === 'admin') return true;
  for (const level of ['actor', who]) {
    const matching = rules.filter((one) => one.level === level && one.capability === capability);
    const exact = matching.filter(({ pattern }) => !/[*?]/.test(pattern) && pattern === name);
    const glob = matching.filter(({ pattern }) => /[*?]/.test(pattern) && asExpression(pattern).test(name));
    for (const found of [exact, glob]) {
      if (found.length > 0) return found.every(({ effect }) => effect === 'allow');
    }
  }
  return false;
}

function asExpression(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}/]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]');
  return new RegExp(`^${source}$`, 'u');
}
