/** Sets the maximum age of keys that an organization accepts. */
import { FormDialog } from '../components/form/form-dialog.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { setMaxKeyAge } from './queries.ts';

interface Props {
  readonly org: string;
  readonly maxAgeDays: number | null;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function KeyAgeDialog({ org, maxAgeDays, onSaved, onClose }: Props) {
  const form = useForm({ maxKeyAgeDays: maxAgeDays === null ? '' : String(maxAgeDays) });
  const days = form.values.maxKeyAgeDays;
  return (
    <FormDialog
      title="Maximum age of keys"
      action="Save"
      form={form}
      isReady={days === '' || Number(days) > 0}
      onSubmit={async () => {
        await setMaxKeyAge(org, days === '' ? null : Number(days));
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text-soft">
        Older keys are refused from the next request on, also keys that people made for themselves. Roll the old ones
        first. New keys get this age as their expiry.
      </p>
      <TextField
        of={form}
        name="maxKeyAgeDays"
        label="Days"
        type="number"
        min={1}
        max={3650}
        step={1}
        hint="Leave it empty to accept keys of any age."
      />
    </FormDialog>
  );
}
