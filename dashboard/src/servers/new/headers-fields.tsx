/** The headers with which the gateway authenticates at an external server. */
import { Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../components/button.tsx';
import { TextField } from '../../components/form/form-fields.tsx';
import { FieldErrors } from '../../components/form/form-row.tsx';
import { itemOf, type Part } from '../../components/form/use-form.ts';
import { type ConnectionForm, MAX_HEADERS } from './connection-form.ts';

interface Props {
  readonly of: Part<Pick<ConnectionForm, 'headers'>>;
  readonly isStored: boolean;
}

export function HeadersFields({ of, isStored }: Props) {
  const { headers } = of.values;
  const problem = of.problems.get('headers');
  const isFull = headers.length >= MAX_HEADERS;
  return (
    <div className="flex flex-col gap-3">
      {headers.map((_, index) => {
        const header = itemOf(of, 'headers', index);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header is its place; names may be empty or the same
          <div key={index} className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_2rem]">
            <TextField of={header} name="name" label={`Name of header ${index + 1}`} isMono placeholder="X-API-Key" />
            <TextField of={header} name="secret" label={`Value of header ${index + 1}`} isMono type="password" />
            <IconButton
              label={`Remove header ${index + 1}`}
              className="sm:mt-4.5"
              disabled={headers.length === 1}
              onClick={() => of.set({ headers: headers.filter((_, other) => other !== index) })}
            >
              <Trash2 size={14} />
            </IconButton>
          </div>
        );
      })}
      <FieldErrors errors={problem === undefined ? [] : [problem]} />
      {isStored ? <p className="text-xs text-quiet">Leave all values empty to keep the stored ones.</p> : null}
      <div>
        <Button
          disabled={isFull}
          title={isFull ? `At most ${MAX_HEADERS} headers` : undefined}
          onClick={() => of.set({ headers: [...headers, { name: '', secret: '' }] })}
        >
          Add a header
        </Button>
      </div>
    </div>
  );
}
