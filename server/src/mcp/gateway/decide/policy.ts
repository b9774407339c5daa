/**
 * The capability policy of a server: which tools, resources and prompts an actor may see and use. Pure, compiled once
 * for each version of a policy.
 *
 * Without rules, nothing is filtered. With rules, a name that matches none is denied. Rules for the actor come before
 * rules for the role; within them an exact name comes before a pattern, and between equals the one that denies wins.
 * The role `admin` may use everything. Source: docs/gateway.md, "Policies".
 */

import { WorkAllowance, WorkSpent } from '../../../fairness/foreign-work/allowance.ts';
import { type Glob, hasWildcards, MatchedText, parseGlob } from '../../../fairness/foreign-work/glob.ts';
import type { Role } from '../../../identity/access/access.ts';
import type { Approvals, Held } from '../../manifest/approved-tools.ts';
import type { CapabilityKind } from '../../protocol/methods.ts';
import { MAX_NAME, NAME_TOO_LONG } from '../../protocol/named-capability.ts';

export const EFFECTS = ['allow', 'deny'] as const;

/** Roles to which rules can apply; `admin` is always allowed. */
export const RULE_ROLES = ['viewer', 'editor'] as const satisfies readonly Role[];

export interface PolicyRule {
  readonly id: string;
  /** Exactly one of the two is set. */
  readonly role: (typeof RULE_ROLES)[number] | null;
  readonly actorId: string | null;
  readonly capability: CapabilityKind;
  /** An exact name or URI; with `*` (any characters) or `?` (one character) a pattern. */
  readonly pattern: string;
  readonly effect: (typeof EFFECTS)[number];
}

export interface PolicyDecision {
  readonly allowed: boolean;
  /** The reason for the record: the rule, or that there is none. */
  readonly reason: string;
  /** Id of the rule that decided, if one did. */
  readonly rule?: PolicyRule['id'];
}

/** The capabilities of a server that one actor sees. */
export interface CapabilityView {
  /** True when everything is visible, so that no list needs a filter. */
  readonly unrestricted: boolean;
  /** Equal for all actors with the same view. */
  readonly key: string;
  /** `work` limits the comparisons of names in a message; if too little is left for a name, it is denied. */
  decide(capability: CapabilityKind, name: string, work?: WorkAllowance): PolicyDecision;
  /** Decides whether an item of a list whose name may be used may be shown unchanged. If absent, every item may. */
  readonly shows?: (capability: CapabilityKind, name: string, item: Readonly<Record<string, unknown>>) => boolean;
}

const EVERYTHING: PolicyDecision = { allowed: true, reason: 'no policy' };
const ADMINISTRATOR: PolicyDecision = { allowed: true, reason: 'role admin' };
const TOO_LONG: PolicyDecision = { allowed: false, reason: NAME_TOO_LONG };
const TOO_COSTLY: PolicyDecision = { allowed: false, reason: 'comparing the names with the rules takes too much work' };
const NO_MATCH: PolicyDecision = { allowed: false, reason: 'no rule matches' };

const HELD: Readonly<Record<Held, PolicyDecision>> = {
  'not approved': { allowed: false, reason: 'the tool is not approved' },
  'changed since it was approved': { allowed: false, reason: 'the tool has changed since it was approved' },
};

const unrestricted = (key: string, decision: PolicyDecision): CapabilityView => ({
  unrestricted: true,
  key,
  decide: () => decision,
});
const withoutPolicy = unrestricted('no policy', EVERYTHING);
const ofAdministrator = unrestricted('role admin', ADMINISTRATOR);

export class Policy {
  readonly #rules: readonly PolicyRule[];
  readonly #actors: ReadonlySet<string>;
  readonly #views = new Map<string, CapabilityView>();
  readonly #approvals: Approvals | undefined;
  readonly #approvedViews = new WeakMap<CapabilityView, CapabilityView>();

  /** With `approvals`, a tool that is not approved is invisible and cannot be used. */
  constructor(rules: readonly PolicyRule[], approvals?: Approvals) {
    this.#rules = rules;
    this.#approvals = approvals;
    this.#actors = new Set(rules.flatMap(({ actorId }) => (actorId === null ? [] : [actorId])));
  }

  viewOf(actorId: string, role: Role): CapabilityView {
    const view = this.#viewByRules(actorId, role);
    if (!this.#approvals) return view;
    const known = this.#approvedViews.get(view) ?? approvedView(view, this.#approvals);
    this.#approvedViews.set(view, known);
    return known;
  }

  #viewByRules(actorId: string, role: Role): CapabilityView {
    if (this.#rules.length === 0) return withoutPolicy;
    if (role === 'admin') return ofAdministrator;
    const key = this.#actors.has(actorId) ? `${role} ${actorId}` : role;
    let view = this.#views.get(key);
    if (!view) {
      const own = this.#rules.filter((rule) => rule.actorId === actorId);
      const ofRole = this.#rules.filter((rule) => rule.role === role);
      view = { unrestricted: false, key, decide: decider([new RuleSet(own), new RuleSet(ofRole)]) };
      this.#views.set(key, view);
    }
    return view;
  }
}

function approvedView(view: CapabilityView, approvals: Approvals): CapabilityView {
  return {
    unrestricted: false,
    key: `${view.key} ${approvals.key}`,
    decide(kind, name, work) {
      const held = kind === 'tool' ? approvals.holds(name) : undefined;
      return held ? HELD[held] : view.decide(kind, name, work);
    },
    shows: (kind, name, item) => kind !== 'tool' || approvals.isAsApproved(name, item),
  };
}

function decider(levels: readonly RuleSet[]): CapabilityView['decide'] {
  return (capability, name, work = new WorkAllowance()) => {
    if (name.length > MAX_NAME) return TOO_LONG;
    try {
      const text = new MatchedText(name, work);
      for (const level of levels) {
        const decision = level.find(capability, text);
        if (decision) return decision;
      }
      return NO_MATCH;
    } catch (error) {
      if (error instanceof WorkSpent) return TOO_COSTLY;
      throw error;
    }
  };
}

/** The rules of one level, in the order of their evaluation. */
class RuleSet {
  readonly #exact: Readonly<Record<CapabilityKind, Map<string, PolicyDecision>>> = {
    tool: new Map(),
    resource: new Map(),
    prompt: new Map(),
  };
  readonly #patterns: Readonly<
    Record<CapabilityKind, readonly { readonly glob: Glob; readonly decision: PolicyDecision }[]>
  >;

  constructor(rules: readonly PolicyRule[]) {
    const ordered = [...rules].sort((left, right) => rank(left) - rank(right));
    const patternsFor = (kind: CapabilityKind) =>
      ordered
        .filter(({ capability, pattern }) => capability === kind && hasWildcards(pattern))
        .map((rule) => ({ glob: parseGlob(rule.pattern), decision: decisionOf(rule) }));
    this.#patterns = { tool: patternsFor('tool'), resource: patternsFor('resource'), prompt: patternsFor('prompt') };
    for (const rule of ordered) {
      const exact = this.#exact[rule.capability];
      if (!hasWildcards(rule.pattern) && !exact.has(rule.pattern)) exact.set(rule.pattern, decisionOf(rule));
    }
  }

  /** Throws WorkSpent. */
  find(capability: CapabilityKind, name: MatchedText): PolicyDecision | undefined {
    return (
      this.#exact[capability].get(name.text) ??
      this.#patterns[capability].find(({ glob }) => glob.matches(name))?.decision
    );
  }
}

function decisionOf({ id, effect }: PolicyRule): PolicyDecision {
  return { allowed: effect === 'allow', reason: `rule ${id}`, rule: id };
}

function rank({ effect }: PolicyRule): number {
  return effect === 'deny' ? 0 : 1;
}
