/** The settings for the programs of a hosted server. */
import { ChoiceField, NumberField, TextField } from '../../components/form/form-fields.tsx';
import type { Part } from '../../components/form/use-form.ts';
import type { Server } from '../queries.ts';

/** Answers have all of its fields. */
export type Hosted = Required<NonNullable<Server['hosted']>>;

const numbers = [
  ['memoryMegabytes', 'Memory, MB', undefined],
  ['diskMegabytes', 'Disk, MB', undefined],
  ['idleSeconds', 'Ends after seconds without a request', undefined],
  ['startSeconds', 'Seconds to start', undefined],
  ['answerSeconds', 'Seconds until an answer begins', undefined],
  ['maxProcesses', 'Processes at a time', 'stdio'],
] as const;

export const transports = [
  ['http', 'HTTP, on the port that it is given'],
  ['stdio', 'standard input and output'],
] as const;

export function HostedFields({ of }: { readonly of: Part<Hosted> }) {
  const { transport } = of.values;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField of={of} name="transport" label="The program speaks" choices={transports} />
        {transport === 'http' ? <TextField of={of} name="path" label="Path" isMono /> : null}
      </div>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        {numbers.map(([name, label, only]) =>
          only === undefined || only === transport ? (
            <NumberField key={name} of={of} name={name} label={label} from={0} className="" />
          ) : null,
        )}
      </div>
    </>
  );
}
