/** The settings for the programs of a hosted server. */
import { Field } from './field.tsx';
import type { Server } from './queries.ts';

type Hosted = NonNullable<Server['hosted']>;

interface Props {
  readonly form: Hosted;
  readonly onChange: (form: Hosted) => void;
  readonly errors: ReadonlyMap<string, string>;
}

const numbers = [
  ['memoryMegabytes', 'Memory, MB', undefined],
  ['diskMegabytes', 'Disk, MB', undefined],
  ['idleSeconds', 'Ends after seconds without a request', undefined],
  ['startSeconds', 'Seconds to start', undefined],
  ['answerSeconds', 'Seconds until an answer begins', undefined],
  ['maxProcesses', 'Processes at a time', 'stdio'],
] as const;

export function HostedFields({ form, onChange, errors }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field title="The program speaks" error={errors.get('hosted.transport')}>
          <select
            className="field"
            value={form.transport}
            onChange={(event) => onChange({ ...form, transport: event.target.value as Hosted['transport'] })}
          >
            <option value="http">HTTP, on the port that it is given</option>
            <option value="stdio">standard input and output</option>
          </select>
        </Field>
        {form.transport === 'http' ? (
          <Field title="Path" error={errors.get('hosted.path')}>
            <input
              className="field font-mono text-xs"
              value={form.path}
              spellCheck={false}
              onChange={(event) => onChange({ ...form, path: event.target.value })}
            />
          </Field>
        ) : null}
      </div>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        {numbers.map(([key, title, only]) =>
          only === undefined || only === form.transport ? (
            <Field key={key} title={title} error={errors.get(`hosted.${key}`)}>
              <input
                type="number"
                className="field tabular"
                value={form[key]}
                onChange={(event) => onChange({ ...form, [key]: event.target.valueAsNumber })}
              />
            </Field>
          ) : null,
        )}
      </div>
    </>
  );
}
