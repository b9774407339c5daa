/** The fields by which events are narrowed, as the address of their page holds them. */
import type { Field } from '../components/list/fields.ts';
import { type ListFields, readsOf } from '../components/list/use-filters.ts';
import { type SearchOf, text } from '../shell/search.ts';

/** An id that ends with a dot is the beginning of ids. */
const beginning = (value: string) => (value.endsWith('.') ? `${value}*` : value);

const fields = [
  {
    name: 'event',
    title: 'Event',
    kind: 'text',
    isPart: true,
    example: 'prefect.flow-run.',
    // Names are found by their beginning.
    sent: (value) => (value.endsWith('*') ? value : `${value}*`),
  },
  { name: 'resource', title: 'About', kind: 'text', aliases: ['resource'], sent: beginning },
  { name: 'related', title: 'Related', kind: 'text', aliases: ['with'], sent: beginning },
  {
    name: 'task_runs',
    title: 'Task runs',
    kind: 'choice',
    choices: [
      ['no', 'hidden'],
      ['yes', 'only'],
    ],
  },
  { name: 'q', title: 'Text', kind: 'text', isPart: true, isOwn: true, aliases: ['contains', 'words'] },
] as const satisfies readonly Field[];

export const eventFields: ListFields = {
  fields,
  text: 'q',
  hiding: { field: 'task_runs', value: 'no', reveal: 'Show task runs', isOff: (given) => given.length > 0 },
};

export const eventsSearch = {
  ...readsOf(fields, text),
  /** `1h`, `24h`, `7d`, or two times with a slash between them. */
  span: text,
};
export type EventsSearch = SearchOf<typeof eventsSearch>;
