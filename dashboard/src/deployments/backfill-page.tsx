/** Runs a deployment for dates in the past. It shows the number of runs before it creates any. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { FormRow } from '../components/form-row.tsx';
import { JsonEditor } from '../components/json-editor.tsx';
import { PageHead } from '../components/page.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { absoluteTime } from '../design/time.ts';
import { scheduleWords } from '../schedule/words.ts';
import { type BackfillRange, createBackfill, planQuery } from './backfill-queries.ts';
import { type Deployment, deploymentQuery } from './queries.ts';

const route = getRouteApi('/deployments/deployment/$id/backfill');

export function BackfillPage() {
  const { id } = route.useParams();
  const query = useQuery(deploymentQuery(id));
  if (query.isPending) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={8} />
      </div>
    );
  }
  if (!query.data) return <Failed error={query.error} retry={() => void query.refetch()} />;
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
  const [draft, setDraft] = useState(() => draftOf(deployment));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const range = rangeOf(id, draft);
  const shown = useDeferredValue(range);
  const plan = useQuery(planQuery(shown));
  const isCounted = plan.data !== undefined && !plan.error && !plan.isPlaceholderData && range !== undefined;
  const count = isCounted ? plan.data.count : undefined;
  const names = Object.keys(objectOf(objectOf(deployment.parameter_openapi_schema)['properties']));

  const start = async () => {
    if (!range) return;
    setBusy(true);
    setProblem(undefined);
    try {
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
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
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
        <FormRow id="backfill-from" title="From">
          <input
            id="backfill-from"
            type="datetime-local"
            className="field max-w-60"
            value={draft.from}
            onChange={({ target }) => change({ from: target.value })}
          />
        </FormRow>
        <FormRow id="backfill-to" title="To" description="Both ends are included; not in the future.">
          <input
            id="backfill-to"
            type="datetime-local"
            className="field max-w-60"
            value={draft.to}
            onChange={({ target }) => change({ to: target.value })}
          />
        </FormRow>
        <FormRow id="backfill-dates" title="Dates of">
          <select
            id="backfill-dates"
            className="field w-auto pr-6"
            value={draft.dates}
            onChange={({ target }) => change({ dates: target.value })}
          >
            {schedules.map(({ id: scheduleId, schedule }) => (
              <option key={scheduleId} value={scheduleId}>
                {scheduleWords(schedule)}
              </option>
            ))}
            <option value="cron">a cron text</option>
          </select>
        </FormRow>
        {draft.dates === 'cron' ? (
          <FormRow
            id="backfill-cron"
            title="Cron"
            description="Minute, hour, day of the month, month, day of the week."
          >
            <input
              id="backfill-cron"
              className="field max-w-60 font-mono"
              autoComplete="off"
              spellCheck={false}
              value={draft.cron}
              onChange={({ target }) => change({ cron: target.value })}
            />
          </FormRow>
        ) : null}
        <Plan plan={isCounted ? plan.data : undefined} error={range ? plan.error : null} />
        <FormRow id="backfill-name" title="Name" description="Each run has it as the tag backfill:<name>.">
          <input
            id="backfill-name"
            className="field"
            maxLength={200}
            autoComplete="off"
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        </FormRow>
        <FormRow id="backfill-at-once" title="Unfinished at a time" description="At most 100.">
          <input
            id="backfill-at-once"
            type="number"
            min={1}
            max={100}
            className="field tabular max-w-24"
            value={draft.atOnce}
            onChange={({ target }) => change({ atOnce: target.value })}
          />
        </FormRow>
        {names.length > 0 ? (
          <FormRow id="backfill-parameter" title="Date goes into" description="The date is also the scheduled start.">
            <select
              id="backfill-parameter"
              className="field w-auto pr-6"
              value={draft.dateParameter}
              onChange={({ target }) => change({ dateParameter: target.value })}
            >
              <option value="">no parameter</option>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </FormRow>
        ) : null}
        <FormRow title="Parameters" description="Those that differ from the deployment's, for each run.">
          <JsonEditor
            label="Parameters of the backfill"
            text={draft.parameters}
            isNumbered={false}
            maxHeight={160}
            onChange={(parameters) => change({ parameters })}
          />
        </FormRow>
        {problem === undefined ? null : (
          <p role="alert" className="mt-2 text-failed-text">
            {problem}
          </p>
        )}
        <div className="mt-4">
          <Button kind="primary" type="submit" disabled={isBusy || count === undefined}>
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
    <div className="my-3 min-h-13 rounded-panel bg-surface px-3 py-2" aria-live="polite">
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
