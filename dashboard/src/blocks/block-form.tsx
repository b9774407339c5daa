/** Makes or changes a block, with a form from the schema of its type. */

import { Button } from '../components/button.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import type { FormValues, JsonSchema } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { useSchemaForm } from '../components/schema-form/use-schema-form.ts';
import { useAction } from '../components/use-action.ts';

interface Props {
  readonly schema: JsonSchema;
  readonly initial: FormValues;
  /** True to show the field for the name, for a new block. */
  readonly isNamed: boolean;
  readonly action: string;
  /** Throws Problem when the server refuses it. */
  readonly onSave: (name: string, values: FormValues) => Promise<unknown>;
}

const NAME = /^[a-z0-9-]+$/;

export function BlockForm({ schema, initial, isNamed, action, onSave }: Props) {
  const form = useSchemaForm(initial);
  const own = useForm({ name: '' }, 'rows');
  const { name } = own.values;
  const { isBusy, run } = useAction();
  const isNameRight = !isNamed || NAME.test(name);
  const save = async () => {
    if (!form.isReady() || !isNameRight) return;
    await run(() => onSave(name, form.value).catch((error: unknown) => form.refuse(error, 'data')));
  };
  return (
    <form
      className="flex max-w-180 flex-col gap-4 px-6 max-sm:px-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {isNamed ? (
        <TextField
          of={own}
          name="name"
          label="Name"
          isRequired
          autoComplete="off"
          spellCheck={false}
          hint="Lower-case letters, digits and dashes. Programs load the block by it."
          error={name !== '' && !isNameRight ? 'Only lower-case letters, digits and dashes.' : undefined}
        />
      ) : null}
      <SchemaForm label="Values" schema={schema} {...form.props} />
      <div>
        <Button kind="primary" type="submit" disabled={isBusy || !isNameRight}>
          {action}
        </Button>
      </div>
    </form>
  );
}
