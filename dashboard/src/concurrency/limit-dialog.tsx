/** Makes or changes a limit. */
import { FormDialog } from '../components/form/form-dialog.tsx';
import { CheckField, ChoiceField, NumberField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { limitTitle } from './limit-name.tsx';
import { createLimit, type LimitRow, updateLimit } from './queries.ts';

const kinds = [
  ['global', 'whatever code asks for it by name'],
  ['tag', 'task runs with a tag'],
] as const;

interface Props {
  /** Undefined for a new one. */
  readonly limit: LimitRow | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function LimitDialog({ limit, onClose, onSaved }: Props) {
  const form = useForm({
    kind: 'global' as 'global' | 'tag',
    name: limit?.name ?? '',
    limit: (limit?.limit ?? 1) as number | null,
    slot_decay_per_second: (limit?.slot_decay_per_second ?? 0) as number | null,
    active: limit?.active ?? true,
  });
  const { kind, name, limit: slots, slot_decay_per_second: decay, active } = form.values;
  const save = async () => {
    const given = { name, limit: slots ?? 0, decay: decay ?? 0, active };
    await (limit ? updateLimit(limit.id, given) : createLimit(kind, given));
    onSaved();
  };
  return (
    <FormDialog
      title={limit ? `Edit ${limitTitle(limit)}` : 'New concurrency limit'}
      action="Save"
      form={form}
      isReady={name !== '' && slots !== null}
      onSubmit={save}
      onClose={onClose}
    >
      {limit ? null : <ChoiceField of={form} name="kind" label="It limits" choices={kinds} />}
      {limit === undefined || limit.kind === 'global' ? (
        <TextField
          of={form}
          name="name"
          label={kind === 'tag' ? 'Tag' : 'Name'}
          autoComplete="off"
          spellCheck={false}
        />
      ) : null}
      <NumberField of={form} name="limit" label="Slots" from={0} className="w-32" />
      {(limit?.kind ?? kind) === 'global' ? (
        <NumberField
          of={form}
          name="slot_decay_per_second"
          label="Slots that become free each second. 0: they are free when they are released; above 0 it limits a rate."
          from={0}
          isDecimal
          className="w-32"
        />
      ) : null}
      {limit || kind === 'global' ? (
        <CheckField of={form} name="active" label="On: when it is off, everyone passes" />
      ) : null}
    </FormDialog>
  );
}
