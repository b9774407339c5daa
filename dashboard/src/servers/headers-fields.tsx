/** The headers with which the gateway authenticates at an external server. */
import { Trash2 } from 'lucide-react';
import { Button, IconButton } from '../components/button.tsx';
import { FieldErrors } from '../components/form-row.tsx';
import { MAX_HEADERS, type SecretHeader } from './connection-form.ts';
import { Field } from './field.tsx';

interface Props {
  readonly headers: readonly SecretHeader[];
  /** The problem of a field below `credential`. */
  readonly error: (field: string) => string | undefined;
  readonly isStored: boolean;
  readonly onChange: (headers: readonly SecretHeader[]) => void;
}

export function HeadersFields({ headers, error, isStored, onChange }: Props) {
  const change = (at: number, part: Partial<SecretHeader>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...part } : header)));
  const problem = error('headers');
  return (
    <div className="flex flex-col gap-3">
      {headers.map((header, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header is its place; names may be empty or the same
        <div key={index} className="grid items-start gap-3 sm:grid-cols-[1fr_1fr_2rem]">
          <Field title={`Name of header ${index + 1}`} error={error(`headers.${index}.name`)}>
            <input
              className="field font-mono text-xs"
              value={header.name}
              placeholder="X-API-Key"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => change(index, { name: event.target.value })}
            />
          </Field>
          <Field title={`Value of header ${index + 1}`} error={error(`headers.${index}.secret`)}>
            <input
              type="password"
              className="field font-mono text-xs"
              value={header.secret}
              autoComplete="new-password"
              onChange={(event) => change(index, { secret: event.target.value })}
            />
          </Field>
          <IconButton
            label={`Remove header ${index + 1}`}
            className="sm:mt-4.5"
            disabled={headers.length === 1}
            onClick={() => onChange(headers.filter((_, other) => other !== index))}
          >
            <Trash2 size={14} />
          </IconButton>
        </div>
      ))}
      <FieldErrors errors={problem === undefined ? [] : [problem]} />
      {isStored ? <p className="text-xs text-quiet">Leave all values empty to keep the stored ones.</p> : null}
      <div>
        <Button
          disabled={headers.length >= MAX_HEADERS}
          title={headers.length >= MAX_HEADERS ? `At most ${MAX_HEADERS} headers` : undefined}
          onClick={() => onChange([...headers, { name: '', secret: '' }])}
        >
          Add a header
        </Button>
      </div>
    </div>
  );
}
