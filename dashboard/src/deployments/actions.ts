/** What people do with deployments. Each throws Problem when the server refuses it. */
import { answered, api } from '../api/client.ts';

interface NewRun {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly jobVariables: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly tags: readonly string[];
  readonly time: Date | undefined;
  readonly queue: string;
  /** Whether the server refuses parameters that do not fit the schema. */
  readonly isChecked: boolean;
}

/** Returns the id of the run. */
export async function createRun(id: string, run: NewRun): Promise<string> {
  const { name, tags, time, queue, isChecked } = run;
  const created = await answered(
    api.POST('/deployments/{id}/create_flow_run', {
      params: { path: { id } },
      body: {
        parameters: { ...run.parameters },
        job_variables: { ...run.jobVariables },
        enforce_parameter_schema: isChecked,
        tags: [...tags],
        ...(name === '' ? {} : { name }),
        ...(queue === '' ? {} : { work_queue_name: queue }),
        ...(time ? { state: { type: 'SCHEDULED', state_details: { scheduled_time: time.toISOString() } } } : {}),
      },
    }),
  );
  return created.id;
}
