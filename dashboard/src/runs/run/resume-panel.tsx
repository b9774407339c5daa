/** The question of a paused run, and the form for its answer. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/access.ts';
import { answered, api } from '../../api/client.ts';
import { invalidate } from '../../api/read.ts';
import { Button } from '../../components/button.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { notify } from '../../components/notify/notify.ts';
import { type JsonSchema, objectOf } from '../../components/schema-form/form-schema.ts';
import { SchemaForm } from '../../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../components/schema-form/use-schema-form.ts';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { relativeTime } from '../../design/time.ts';
import { resumeRun } from '../actions.ts';
import type { FlowRunView } from '../queries.ts';

const MOST_INPUTS = 20;

interface Asked {
  readonly schema: JsonSchema;
  readonly description: string | undefined;
}

/** The client stores schema and description under keys with the same prefix: `paused-1-schema`. */
async function readQuestion(runId: string, schemaKey: string, signal: AbortSignal): Promise<Asked> {
  const inputs = await answered(
    api.POST('/flow_runs/{id}/input/filter', {
      params: { path: { id: runId } },
      body: { prefix: schemaKey.replace(/schema$/, ''), limit: MOST_INPUTS, exclude_keys: [] },
      signal,
    }),
  );
  const readInput = (key: string): unknown => {
    const text = inputs.find((input) => input.key === key)?.value;
    return text === undefined ? undefined : JSON.parse(text);
  };
  const description = readInput(schemaKey.replace(/schema$/, 'description'));
  return {
    schema: objectOf(readInput(schemaKey)),
    description: typeof description === 'string' ? description : undefined,
  };
}

interface Props {
  readonly run: FlowRunView['flow_run'];
  /** Key of the input with the schema. */
  readonly schemaKey: string;
}

export function ResumePanel({ run, schemaKey }: Props) {
  const query = useQuery({
    queryKey: ['/flow_runs/{id}/input/filter', run.id, schemaKey],
    queryFn: ({ signal }) => readQuestion(run.id, schemaKey, signal),
  });
  const until = run.state?.state_details?.pause_timeout;
  return (
    <section aria-label="Waits for input" className="border-l-2 border-paused bg-surface px-4 py-3">
      {query.isPending ? (
        <Skeleton rows={4} />
      ) : !query.data ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <>
          <div className="text-lg">
            {query.data.description ? (
              <Markdown text={query.data.description} />
            ) : (
              <p className="font-semibold">The run waits for input.</p>
            )}
          </div>
          {until ? (
            <p className="text-xs text-quiet">
              Without an answer it fails {Date.parse(until) > Date.now() ? relativeTime(until) : 'now'}.
            </p>
          ) : null}
          <Answer runId={run.id} schema={query.data.schema} />
        </>
      )}
    </section>
  );
}

function Answer({ runId, schema }: { readonly runId: string; readonly schema: JsonSchema }) {
  const mayChange = useMay('flow_runs:write');
  const form = useSchemaForm({});
  const [isBusy, setBusy] = useState(false);
  const resume = async () => {
    if (!form.isReady()) return;
    setBusy(true);
    try {
      await resumeRun(runId, form.value);
      await invalidate('/views/flow_runs/{id}');
      notify('The answer was sent, and the run resumed');
    } catch (error) {
      form.refuse(error, 'run_input');
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      noValidate
      className="mt-2 max-w-200"
      onSubmit={(event) => {
        event.preventDefault();
        void resume();
      }}
    >
      <SchemaForm label="Input" schema={schema} isReadOnly={!mayChange} {...form.props} />
      {mayChange ? (
        <Button kind="primary" type="submit" disabled={isBusy} className="mt-2">
          Send and resume
        </Button>
      ) : null}
    </form>
  );
}
