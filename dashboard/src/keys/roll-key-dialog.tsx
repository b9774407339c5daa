/** Makes a key that replaces another and shows it once. The secret is only in the state of this dialog. */
import { useState } from 'react';
import type { components } from '../api/platform.gen.ts';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { Moment } from '../components/text/moment.tsx';
import { NewKeyDialog } from './create-key-dialog.tsx';
import { type ApiKey, expiryOf, type Lifetime, lifetimesWithin } from './expiry.ts';

export type RollForm = components['schemas']['ApiKeyRoll'];
export type RolledKey = components['schemas']['ApiKeyRolled'];

const OVERLAPS = [
  ['0', 'Now'],
  ['3600', 'In 1 hour'],
  ['86400', 'In 24 hours'],
  ['604800', 'In 7 days'],
] as const;
type Overlap = (typeof OVERLAPS)[number][0];

interface Props {
  readonly apiKey: ApiKey;
  /** Other active keys, if the owner may have no more: then one of them or the rolled one must end. */
  readonly others: readonly ApiKey[];
  readonly organizationId?: string | undefined;
  readonly maxAgeDays: number | null;
  readonly roll: (form: RollForm) => Promise<RolledKey>;
  readonly onClose: () => void;
}

export function RollKeyDialog({ apiKey, others, organizationId, maxAgeDays, roll, onClose }: Props) {
  const form = useForm({ overlap: '86400' as Overlap, lifetime: 'same' as Lifetime, revoked: apiKey.id });
  const { overlap, lifetime, revoked } = form.values;
  const [rolled, setRolled] = useState<RolledKey>();
  if (rolled) {
    const { replacedKey, secret } = rolled;
    return (
      <NewKeyDialog secret={secret} name={apiKey.descriptor} organizationId={organizationId} onClose={onClose}>
        {replacedKey.state === 'active' ? (
          <p className="mb-3 text-soft">
            The old key works until <Moment time={replacedKey.expiresAt} absolute />. To end it sooner, revoke it once
            the programs have the new one.
          </p>
        ) : (
          <p className="mb-3 text-soft">The old key no longer works.</p>
        )}
      </NewKeyDialog>
    );
  }
  const isFull = others.length > 0;
  const endsNow = isFull && revoked === apiKey.id;
  return (
    <FormDialog
      title={`Roll the key for ${apiKey.descriptor}`}
      action="Roll key"
      form={form}
      isReady
      onClose={onClose}
      onSubmit={async () =>
        setRolled(
          await roll({
            endsInSeconds: Number(overlap),
            ...(lifetime === 'same' ? {} : { expiresAt: expiryOf(lifetime) }),
            ...(isFull ? { revokeKeyId: revoked } : {}),
          }),
        )
      }
    >
      <p className="text-soft">
        A new key takes the place of this one. Give it to the programs before the old one ends.
      </p>
      {isFull ? (
        <ChoiceField
          of={form}
          name="revoked"
          label="Two keys are active, so one ends with the roll"
          choices={[apiKey, ...others].map(({ id, descriptor }) => [id, `${descriptor}, now`] as const)}
        />
      ) : null}
      {endsNow ? null : (
        <ChoiceField
          of={form}
          name="overlap"
          label="The old key ends"
          choices={OVERLAPS}
          hint="It counts as active until then."
        />
      )}
      <ChoiceField
        of={form}
        name="lifetime"
        label="The new key expires"
        choices={[['same', 'Like the old one'], ...lifetimesWithin(maxAgeDays).filter(([days]) => days !== 'none')]}
      />
    </FormDialog>
  );
}
