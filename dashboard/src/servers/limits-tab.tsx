/** The limits for the use of the server by its callers. */
import { useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { useAction } from '../components/use-action.ts';
import { setLimits } from './actions.ts';
import { Field } from './field.tsx';
import { type Limits, limitsQuery, type ServerPath } from './queries.ts';
import type { TabProps } from './tab-props.ts';

export function LimitsTab({ organization, view }: TabProps) {
  const path = { org: organization.slug, server: view.server.slug };
  const query = useQuery(limitsQuery(path));
  if (!query.data) return <Unread of={query} rows={4} />;
  return (
    <Form key={JSON.stringify(query.data)} path={path} stored={query.data} mayChange={view.server.role === 'admin'} />
  );
}

interface Row {
  readonly id: number;
  readonly per: 'actor' | 'server';
  readonly tool: string;
  readonly perMinute: string;
  readonly atOnce: string;
}

let lastId = 0;

function rowOf({ per, tool, requestsPerMinute, concurrentRequests }: Limits['quotas'][number]): Row {
  lastId += 1;
  const text = (value: number | null) => (value === null ? '' : String(value));
  return { id: lastId, per, tool: tool ?? '', perMinute: text(requestsPerMinute), atOnce: text(concurrentRequests) };
}

const emptyQuota = { per: 'actor', tool: null, requestsPerMinute: 60, concurrentRequests: null } as const;
const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));

interface FormProps {
  readonly path: ServerPath;
  readonly stored: Limits;
  readonly mayChange: boolean;
}

function Form({ path, stored, mayChange }: FormProps) {
  const [rows, setRows] = useState(() => stored.quotas.map(rowOf));
  const [maxBytes, setMaxBytes] = useState(stored.maxResultBytes === null ? '' : String(stored.maxResultBytes));
  const { run, isBusy, fields, problem } = useAction();
  const given: Limits = {
    quotas: rows.map(({ per, tool, perMinute, atOnce }) => ({
      per,
      tool: tool.trim() === '' ? null : tool.trim(),
      requestsPerMinute: numberOf(perMinute),
      concurrentRequests: numberOf(atOnce),
    })),
    maxResultBytes: numberOf(maxBytes),
  };
  const isChanged = JSON.stringify(given) !== JSON.stringify(stored);
  const change = (id: number, part: Partial<Row>) =>
    setRows((old) => old.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const save = () =>
    run(async () => {
      await setLimits(path, given);
      await invalidate('/organizations/{org}/servers/{server}/limits');
    });
  return (
    <fieldset disabled={!mayChange} className="flex max-w-220 flex-col gap-8">
      <Section title="Quotas" aside="In force at the next request, on all replicas together">
        <div className="flex flex-col gap-3 border-t border-line pt-3">
          {rows.length === 0 ? <p className="text-soft">Callers are not limited.</p> : null}
          {rows.map((row, index) => (
            <QuotaRow
              key={row.id}
              row={row}
              error={(name) => fields.get(`quotas.${index}${name === '' ? '' : `.${name}`}`)}
              onChange={(part) => change(row.id, part)}
              onRemove={() => setRows((old) => old.filter(({ id }) => id !== row.id))}
            />
          ))}
          <div>
            <Button onClick={() => setRows((old) => [...old, rowOf(emptyQuota)])}>Add a quota</Button>
          </div>
        </div>
      </Section>
      <Section title="Size of answers">
        <div className="border-t border-line pt-3">
          <Field
            title="Most bytes of an answer"
            error={fields.get('maxResultBytes')}
            hint="A larger one is replaced by an error. In a stream it counts for each message."
          >
            <input
              className="field w-48"
              inputMode="numeric"
              value={maxBytes}
              placeholder="no limit of its own"
              onChange={(event) => setMaxBytes(event.target.value)}
            />
          </Field>
        </div>
      </Section>
      <div>
        <Button kind="primary" disabled={!isChanged || isBusy} onClick={() => void save()}>
          Save the limits
        </Button>
        <ProblemNote text={fields.size === 0 ? problem : (fields.get('quotas') ?? undefined)} />
        {mayChange ? null : <p className="mt-2 text-quiet">Only administrators of the server change them.</p>}
      </div>
    </fieldset>
  );
}

interface QuotaRowProps {
  readonly row: Row;
  readonly error: (name: string) => string | undefined;
  readonly onChange: (part: Partial<Row>) => void;
  readonly onRemove: () => void;
}

function QuotaRow({ row, error, onChange, onRemove }: QuotaRowProps) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[11rem_1fr_8rem_8rem_2rem]">
      <Field title="For" error={error('') ?? error('per')}>
        <select
          className="field"
          value={row.per}
          onChange={(event) => onChange({ per: event.target.value as Row['per'] })}
        >
          <option value="actor">each caller</option>
          <option value="server">all together</option>
        </select>
      </Field>
      <Field title="Tool" error={error('tool')}>
        <input
          className="field font-mono text-xs"
          value={row.tool}
          placeholder="every request"
          spellCheck={false}
          onChange={(event) => onChange({ tool: event.target.value })}
        />
      </Field>
      <Field title="A minute" error={error('requestsPerMinute')}>
        <input
          className="field"
          inputMode="numeric"
          value={row.perMinute}
          placeholder="any number"
          onChange={(event) => onChange({ perMinute: event.target.value })}
        />
      </Field>
      <Field title="At the same time" error={error('concurrentRequests')}>
        <input
          className="field"
          inputMode="numeric"
          value={row.atOnce}
          placeholder="any number"
          onChange={(event) => onChange({ atOnce: event.target.value })}
        />
      </Field>
      <IconButton label="Remove the quota" className="sm:mt-4.5" onClick={onRemove}>
        <Trash2 size={14} />
      </IconButton>
    </div>
  );
}
