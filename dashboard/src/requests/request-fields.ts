/** The fields by which requests are narrowed, as the address of their page holds them. */
import type { Field } from '../components/list/fields.ts';
import { addressed } from '../components/list/language.ts';
import { type ListFields, readsOf } from '../components/list/use-filters.ts';
import { flag, type SearchOf, text } from '../shell/search.ts';

export const outcomes = ['ok', 'denied', 'invalid', 'failed'] as const;

const fields = [
  { name: 'server', title: 'Server', kind: 'text' },
  { name: 'tool', title: 'Tool', kind: 'text', aliases: ['capability', 'prompt', 'resource'] },
  { name: 'caller', title: 'Caller', kind: 'text', aliases: ['actor', 'who', 'person', 'keyowner'] },
  { name: 'outcome', title: 'Outcome', kind: 'text', example: outcomes.join(', ') },
  { name: 'method', title: 'Method', kind: 'text' },
  { name: 'client', title: 'Client', kind: 'text' },
  {
    name: 'protocol',
    title: 'Protocol requests',
    kind: 'choice',
    choices: [
      ['no', 'hidden'],
      ['yes', 'only'],
    ],
  },
] as const satisfies readonly Field[];

export const requestFields: ListFields = {
  fields,
  text: 'tool',
  hiding: {
    field: 'protocol',
    value: 'no',
    reveal: 'Show protocol requests',
    isOff: (given) => given.some(({ field }) => field === 'method'),
  },
};

/** The names in older addresses. */
const older = { actor: text, capability: text, errors: flag };

export const requestsSearch = {
  ...readsOf(fields, text),
  ...older,
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
  /** `server id` and `request id` of the open request, with a slash between them. */
  open: text,
};
export type RequestsSearch = SearchOf<typeof requestsSearch>;

/** The search with the names of today. */
export function renamed({ actor, capability, errors, ...search }: RequestsSearch): RequestsSearch {
  return {
    ...search,
    caller: search.caller ?? actor,
    tool: search.tool ?? (capability === undefined ? undefined : addressed(capability)),
    outcome: search.outcome ?? (errors ? '!ok' : undefined),
  };
}
