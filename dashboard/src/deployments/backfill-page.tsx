/** Runs a deployment for dates in the past. It shows the number of runs before it creates any. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { FormProblem, FormRow } from '../components/form/form-row.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { useForm } from '../components/form/use-form.ts';
import { PageHead } from '../components/page.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { Unread } from '../components/states-of-loading.tsx';
import { absoluteTime } from '../design/time.ts';
import { scheduleWords } from '../schedule/words.ts';
import { type BackfillRange, createBackfill, planQuery } from './backfill-queries.ts';
import { type Deployment, deploymentQuery } from './queries.ts';

const route = getRouteApi('/deployments/deployment/$id/backfill');

export function BackfillPage() {
  const { id } = route.useParams();
  const query = useQuery(deploymentQuery(id));
  if (!query.data) return <Unread of={query} rows={8} isPage />;
  return <BackfillForm deployment={query.data} />;
}

const DAY_MILLISECONDS = 86_400_000;

interface Draft {
  readonly from: string;
  readonly to: string;
  /** Id of a schedule of the deployment; `cron` for a typed one. */
  readonly dates: string;
  readonly cron: string;
  readonly name: string;
  readonly atOnce: string;
  readonly dateParameter: string;
  readonly parameters: string;
}

function draftOf({ schedules = [] }: Deployment): Draft {
  return {
    from: localTime(Date.now() - 7 * DAY_MILLISECONDS),
    to: localTime(Date.now()),
    dates: schedules[0]?.id ?? 'cron',
    cron: '0 6 * * *',
    name: '',
    atOnce: '5',
    dateParameter: '',
    parameters: '',
  };
}

/** The time for an input of the browser, in the reader's zone. */
function localTime(milliseconds: number): string {
  const zoned = new Date(milliseconds - new Date(milliseconds).getTimezoneOffset() * 60_000);
  return zoned.toISOString().slice(0, 16);
}

/** Undefined until both ends are complete. */
function rangeOf(deployment_id: string, { from, to, dates, cron }: Draft): BackfillRange | undefined {
  const [start, end] = [new Date(from), new Date(to)];
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return undefined;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const chosen =
    dates === 'cron' ? { schedule: { cron: cron.trim(), timezone: timeZone, day_or: true } } : { schedule_id: dates };
  return { deployment_id, start_time: start.toISOString(), end_time: end.toISOString(), ...chosen };
}

function BackfillForm({ deployment }: { readonly deployment: Deployment }) {
  const { id, schedules = [] } = deployment;
  const navigate = useNavigate();
  const form = useForm(() => draftOf(deployment), 'rows');
  const draft = form.values;
  const range = rangeOf(id, draft);
  const shown = useDeferredValue(range);
  const plan = useQuery(planQuery(shown));
  const isCounted = plan.data !== undefined && !plan.error && !plan.isPlaceholderData && range !== undefined;
  const count = isCounted ? plan.data.count : undefined;
  const names = Object.keys(objectOf(objectOf(deployment.parameter_openapi_schema)['properties']));

  const start = () =>
    form.send(async () => {
      if (!range) return;
      const parameters = objectOf(draft.parameters.trim() === '' ? {} : JSON.parse(draft.parameters)) as Record<
        string,
        unknown
      >;
      await createBackfill({
        ...range,
        parameters,
        max_unfinished: Number(draft.atOnce),
        date_parameter: draft.dateParameter || null,
        ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
      });
      await invalidate('/backfills/filter');
      await navigate({ to: '/deployments/deployment/$id', params: { id }, search: { tab: 'backfills' } });
    });
  return (
    <>
      <PageHead
        title={`Backfill ${deployment.name}`}
        trail={
          <Link to="/deployments/deployment/$id" params={{ id }} className="hover:underline">
            {deployment.name}
          </Link>
        }
      />
      <form
        noValidate
        className="max-w-200 px-6 max-sm:px-4"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <TextField of={form} name="from" label="From" type="datetime-local" className="max-w-60" />
        <TextField
          of={form}
          name="to"
          label="To"
          type="datetime-local"
          className="max-w-60"
          hint="Both ends are included; not in the future."
        />
        <ChoiceField
          of={form}
          name="dates"
          label="Dates of"
          className="w-auto"
          choices={[
            ...schedules.map(({ id: scheduleId, schedule }) => [scheduleId, scheduleWords(schedule)] as const),
            ['cron', 'a cron text'],
          ]}
        />
        {draft.dates === 'cron' ? (
          <TextField
            of={form}
            name="cron"
            label="Cron"
            isMono
            className="max-w-60"
            autoComplete="off"
            hint="Minute, hour, day of the month, month, day of the week."
          />
        ) : null}
        <Plan plan={isCounted ? plan.data : undefined} error={range ? plan.error : null} />
        <TextField
          of={form}
          name="name"
          label="Name"
          maxLength={200}
          autoComplete="off"
          hint="Each run has it as the tag backfill:<name>."
        />
        <TextField
          of={form}
          name="atOnce"
          label="Unfinished at a time"
          type="number"
          min={1}
          max={100}
          className="tabular max-w-24"
          hint="At most 100."
        />
        {names.length > 0 ? (
          <ChoiceField
            of={form}
            name="dateParameter"
            label="Date goes into"
            className="w-auto"
            choices={[['', 'no parameter'], ...names.map((name) => [name, name] as const)]}
            hint="The date is also the scheduled start."
          />
        ) : null}
        <FormRow title="Parameters" description="Those that differ from the deployment's, for each run.">
          <JsonEditor
            label="Parameters of the backfill"
            text={draft.parameters}
            isNumbered={false}
            maxHeight={160}
            onChange={(parameters) => form.set({ parameters })}
          />
        </FormRow>
        <FormProblem of={form} className="mt-2" />
        <div className="mt-4">
          <Button kind="primary" type="submit" disabled={form.isBusy || count === undefined}>
            {count === undefined ? 'Start' : `Start ${count} ${count === 1 ? 'run' : 'runs'}`}
          </Button>
        </div>
      </form>
    </>
  );
}

interface PlanProps {
  readonly plan: { readonly count: number; readonly dates: readonly string[] } | undefined;
  readonly error: Error | null;
}

/** The number of planned runs, and the first and last dates. */
function Plan({ plan, error }: PlanProps) {
  const first = plan?.dates.slice(0, 3) ?? [];
  const last = plan && plan.count > 3 ? plan.dates.slice(-1) : [];
  return (
    <div className="my-3 min-h-13 max-sm:min-h-21 rounded-panel bg-surface px-3 py-2" aria-live="polite">
      {error ? (
        <p className="text-failed-text">{error.message}</p>
      ) : plan ? (
        <>
          <p className="font-medium">
            {plan.count} {plan.count === 1 ? 'run' : 'runs'}
          </p>
          <p className="tabular text-xs text-soft">
            {first.map((date) => absoluteTime(date)).join(', ')}
            {plan.count > 4 ? ' … ' : last.length > 0 ? ', ' : ''}
            {last.map((date) => absoluteTime(date)).join('')}
          </p>
        </>
      ) : (
        <p className="text-quiet">…</p>
      )}
    </div>
  );
}
