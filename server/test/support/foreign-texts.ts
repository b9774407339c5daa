/** Each pattern that users write, on each text that users write, both as long and as many as may be. */

import type { StoredEvent } from '../../src/changes/hub.ts';
import { criteriaOf } from '../../src/events/criteria.ts';
import { compileLiveFilter, LiveEvent } from '../../src/events/live-filter.ts';
import type { EventFilter } from '../../src/events/schema.ts';
import { WorkAllowance } from '../../src/fairness/foreign-work/allowance.ts';
import { MAX_MATCHED } from '../../src/fairness/foreign-work/glob.ts';
import { Policy, type PolicyRule } from '../../src/mcp/gateway/decide/policy.ts';
import { screen } from '../../src/mcp/gateway/decide/screen.ts';
import { filterMessage } from '../../src/mcp/gateway/return/answer-filter.ts';
import { MAX_NAME } from '../../src/mcp/protocol/named-capability.ts';
import { limitsOf } from '../../src/mcp/quotas/limits.ts';
import { Quotas } from '../../src/mcp/quotas/quotas.ts';
import { Composition } from '../../src/mcp/remix/composition/composition.ts';
import { TriggerSet } from '../../src/orchestration/automations/triggers/compile.ts';
import { sightingsOf } from '../../src/orchestration/automations/triggers/evaluation.ts';
import { compileLiveLogFilter } from '../../src/orchestration/logs/live-filter.ts';
import type { Timestamp } from '../../src/values/time.ts';

const NOW = '2026-11-26T12:00:00.000000Z' as Timestamp;

/** Patterns of a length that are hard to match with a text of one letter. */
const SHAPES: Readonly<Record<string, (length: number) => string>> = {
  stars: (length) => `${'*a'.repeat(length / 2 - 1)}b*`,
  'a late mismatch': (length) => `*${'a'.repeat(length - 3)}b*`,
  'an early mismatch': (length) => `*b${'a'.repeat(length - 3)}*`,
  'free characters': (length) => `*${'a?'.repeat(length / 2 - 2)}b*`,
};
const SETS: typeof SHAPES = { ...SHAPES, sets: (length) => `*${'[b-za]'.repeat(length / 6 - 2)}b*` };

export interface Pair {
  readonly what: string;
  /** Prepares the patterns; the answer matches them once, and says what came of it. */
  readonly prepare: () => () => unknown;
  /** The answer where every match fails or the work is too much. */
  readonly refused: unknown;
}

const rulesOf = (pattern: string): PolicyRule[] =>
  Array.from({ length: 500 }, (_, index) => ({
    id: String(index),
    role: 'viewer',
    actorId: null,
    capability: 'tool',
    pattern: `${pattern.slice(0, -4)}${index}`.slice(0, 500) + (pattern.endsWith('*') ? '*' : ''),
    effect: 'allow',
  }));

const eventOf = (labels: Record<string, string>, payload = '{}') =>
  ({
    id: '1',
    occurred: NOW,
    event: 'a'.repeat(1000),
    resource: JSON.stringify({ 'prefect.resource.id': 'x', ...labels }),
    related: JSON.stringify(Array.from({ length: 50 }, () => ({ 'prefect.resource.id': 'y', ...labels }))),
    payload,
  }) as unknown as StoredEvent;

function pairsOf(shapes: typeof SHAPES, of: (pattern: (length: number) => string) => Omit<Pair, 'what'>, what: string) {
  return Object.entries(shapes).map(([shape, pattern]): Pair => ({ what: `${what}: ${shape}`, ...of(pattern) }));
}

const labelTexts = { 'the longest label': 'a'.repeat(MAX_MATCHED), 'a longer label': 'a'.repeat(500_000) };

export const pairs: readonly Pair[] = [
  ...Object.entries(labelTexts).flatMap(([which, label]) => [
    ...pairsOf(
      SHAPES,
      (pattern) => ({
        prepare: () => {
          const patterns = Array.from({ length: 190 }, (_, index) => pattern(1990) + index + (index % 2 ? '*' : ''));
          const filter = { order: 'ASC', any_resource: { labels: { label: patterns } } } as unknown as EventFilter;
          const matches = Array.from({ length: 30 }).fill(compileLiveFilter(criteriaOf(filter, NOW))) as ReturnType<
            typeof compileLiveFilter
          >[];
          const event = eventOf({ label });
          // All streams of a caller, and an event that none of them has seen.
          return () => {
            const work = new WorkAllowance();
            return matches.filter((isMatch) => isMatch(sharedOf(event), work)).length;
          };
        },
        refused: 0,
      }),
      `live filters of events, ${which}`,
    ),
    ...pairsOf(
      SETS,
      (pattern) => ({
        prepare: () => {
          const triggers = new TriggerSet(
            Array.from({ length: 100 }, (_, index) => automationOf(String(index), [`${pattern(20_000)}${index}*`])),
          );
          const labels = { 'prefect.resource.id': 'x', label };
          const event = { id: '1', occurred: 0, name: 'a'.repeat(1000), resource: labels, related: [labels, labels] };
          return () => sightingsOf(triggers, event, new WorkAllowance()).length;
        },
        refused: 0,
      }),
      `triggers of automations, ${which}`,
    ),
  ]),
  ...pairsOf(
    SHAPES,
    (pattern) => ({
      prepare: () => {
        const view = new Policy(rulesOf(pattern(500))).viewOf('ada', 'viewer');
        return () => view.decide('tool', 'a'.repeat(MAX_NAME)).allowed;
      },
      refused: false,
    }),
    'policies',
  ),
  ...pairsOf(
    SHAPES,
    (pattern) => ({
      prepare: () => {
        const view = new Policy(rulesOf(pattern(500))).viewOf('ada', 'viewer');
        const tools = Array.from({ length: 500 }, () => ({ name: 'a'.repeat(MAX_NAME) }));
        const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } });
        return () => JSON.parse(filterMessage(text, view, 'legacy') ?? '').result.tools.length;
      },
      refused: 0,
    }),
    'lists that a policy filters',
  ),
  ...pairsOf(
    SHAPES,
    (pattern) => ({
      prepare: () => {
        const view = new Policy(rulesOf(pattern(500))).viewOf('ada', 'viewer');
        const call = (name: string, id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
        const body = Buffer.from(
          JSON.stringify(Array.from({ length: 1000 }, (_, index) => call('a'.repeat(MAX_NAME - 200), index))),
        );
        return () =>
          screen({
            httpMethod: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
            view,
            work: new WorkAllowance(),
            unknown: {},
            deniedAs: 'forbidden',
            openSession: () => undefined,
            openTask: () => undefined,
          }).verdict.kind;
      },
      refused: 'refuse',
    }),
    'the names in a batch',
  ),
  ...pairsOf(
    SHAPES,
    (pattern) => ({
      prepare: () => {
        const quota = { per: 'actor', requestsPerMinute: 1, concurrentRequests: null };
        const quotas = Array.from({ length: 20 }, (_, index) => ({ ...quota, tool: `${pattern(180)}${index}*` }));
        const limits = limitsOf(JSON.stringify({ quotas, maxResultBytes: null }))!;
        // Without a store: a request that no quota matches, or that is refused, asks none.
        const counted = new Quotas(undefined as never, undefined as never);
        const request = { serverId: 's', actorId: 'a', tool: 'a'.repeat(MAX_NAME), amount: 1 };
        return async () => {
          const found = await counted.admit(limits, request, new WorkAllowance());
          return typeof found === 'function' ? 'no quota matches' : 'no quota matches, or refused';
        };
      },
      refused: undefined,
    }),
    'quotas',
  ),
  {
    what: 'URI templates of a remix',
    prepare: () => {
      const choice = (index: number) => {
        const name = `a:${'{+x}a{y}b'.repeat(200)}${index}`;
        return { name, as: name, title: null, description: null };
      };
      const composition = new Composition({
        sources: [
          {
            key: 1,
            serverId: 's',
            tools: [],
            prompts: [],
            resources: [],
            resourceTemplates: Array.from({ length: 1000 }, (_, index) => choice(index)),
          },
        ],
      });
      const uri = `a:${'ab'.repeat(MAX_NAME / 2 - 1)}`;
      return () => composition.routeOf({ kind: 'resource', name: uri }, new WorkAllowance());
    },
    refused: undefined,
  },
  {
    what: 'searches of events',
    prepare: () => {
      const query = Array.from({ length: 60 }, (_, index) => `a${String.fromCharCode(98 + (index % 20))}`).join(' ');
      const matches = compileLiveFilter(criteriaOf({ order: 'ASC', text: { query } } as EventFilter, NOW));
      const event = eventOf({}, JSON.stringify('a'.repeat(1_000_000)));
      return () => matches(new LiveEvent(event), new WorkAllowance());
    },
    refused: false,
  },
  {
    what: 'searches of logs',
    prepare: () => {
      const query = Array.from({ length: 60 }, (_, index) => `a${String.fromCharCode(98 + (index % 20))}`).join(' ');
      const matches = compileLiveLogFilter({ operator: 'and_', text: { query } } as never);
      return () => matches({ message: 'a'.repeat(1_000_000), name: 'x' } as never, new WorkAllowance());
    },
    refused: false,
  },
];

/** One event for all subscribers; `forgetEvent` makes the next look one at another event. */
let shared: { row: StoredEvent; event: LiveEvent } | undefined;
function sharedOf(row: StoredEvent): LiveEvent {
  if (shared?.row !== row) shared = { row, event: new LiveEvent(row) };
  return shared.event;
}

function automationOf(id: string, label: readonly string[]) {
  const trigger = {
    type: 'event',
    id,
    match: { label },
    match_related: { label },
    after: [],
    expect: [],
    for_each: [],
    posture: 'Reactive',
    threshold: 1,
    within: 0,
  };
  return { id, name: id, trigger: JSON.stringify(trigger), actions: '[]', actions_on_trigger: '[]' } as never;
}

export function forgetEvent(): void {
  shared = undefined;
}
