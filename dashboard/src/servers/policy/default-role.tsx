/** The role of members without a grant on the server. */
import { ChoiceField } from '../../components/form/form-fields.tsx';
import type { Part } from '../../components/form/use-form.ts';
import type { Role } from '../queries.ts';

const choices = [
  ['', 'may not use it without a grant'],
  ['viewer', 'may use it'],
  ['editor', 'may use and change it'],
] as const;

/** The role is empty for none. */
export function DefaultRole({ of }: { readonly of: Part<{ readonly defaultRole: Role | '' }> }) {
  return (
    <ChoiceField
      of={of}
      name="defaultRole"
      label="Members of the organization"
      className="w-64"
      choices={choices}
      hint="Grants and a policy for each tool follow on its page."
    />
  );
}
