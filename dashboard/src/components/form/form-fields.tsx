/** Fields of a form by the names of its values. Each shows what the server says of its value. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { Button } from '../button.tsx';
import { Section } from '../page.tsx';
import { Choice, Field } from './form-dialog.tsx';
import { FormProblem, FormRow } from './form-row.tsx';
import type { FormState, Part } from './use-form.ts';

type NamesOf<Values, Kind> = {
  [Name in keyof Values & string]: Values[Name] extends Kind ? Name : never;
}[keyof Values & string];

interface FieldProps<Values extends object, Name extends keyof Values> {
  readonly of: Part<Values>;
  readonly name: Name;
  readonly label: string;
  readonly hint?: string | undefined;
  /** The reason why its value cannot be sent. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean | undefined;
}

interface OwnProps<Values extends object, Name extends keyof Values> extends FieldProps<Values, Name> {
  readonly children: (id: string, value: Values[Name], set: (value: Values[Name]) => void) => ReactNode;
}

/** A field with a control of its own. */
export function OwnField<Values extends object, Name extends keyof Values & string>({
  of,
  name,
  label,
  hint,
  error = of.problems.get(name),
  isRequired,
  children,
}: OwnProps<Values, Name>) {
  const id = useId();
  const control = children(id, of.values[name], (value) => of.set({ [name]: value } as unknown as Partial<Values>));
  if (of.layout === 'rows') {
    const errors = error === undefined ? [] : [error];
    return (
      <FormRow id={id} title={label} description={hint} isRequired={isRequired} errors={errors}>
        {control}
      </FormRow>
    );
  }
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {control}
    </Field>
  );
}

interface TextProps {
  readonly isMono?: boolean;
  /** More than one makes it a text area. */
  readonly rows?: number;
}

type Attributes = Pick<
  ComponentProps<'input'>,
  | 'autoComplete'
  | 'className'
  | 'list'
  | 'max'
  | 'maxLength'
  | 'min'
  | 'placeholder'
  | 'required'
  | 'spellCheck'
  | 'step'
  | 'type'
>;

export function TextField<Values extends object, Name extends NamesOf<Values, string>>({
  of,
  name,
  label,
  hint,
  error,
  isRequired,
  isMono = false,
  rows = 1,
  className = '',
  ...attributes
}: FieldProps<Values, Name> & TextProps & Attributes) {
  return (
    <OwnField of={of} name={name} label={label} hint={hint} error={error} isRequired={isRequired}>
      {(id, value, set) => {
        const control = {
          autoComplete: attributes.type === 'password' ? 'new-password' : 'off',
          ...attributes,
          id,
          'aria-invalid': (error ?? of.problems.get(name)) !== undefined,
          value: value as string,
          className: `field ${isMono ? 'font-mono text-xs' : ''} ${className}`,
          onChange: ({ target }: { target: { value: string } }) => set(target.value as Values[Name]),
          ...(isMono ? { spellCheck: false } : {}),
        };
        return rows > 1 ? <textarea {...control} rows={rows} /> : <input {...control} />;
      }}
    </OwnField>
  );
}

interface NumberProps {
  readonly from: number;
  readonly isDecimal?: boolean;
  readonly placeholder?: string;
  readonly className?: string;
}

export function NumberField<Values extends object, Name extends NamesOf<Values, number | null>>({
  of,
  name,
  from,
  isDecimal = false,
  placeholder,
  className = 'max-w-24',
  ...field
}: FieldProps<Values, Name> & NumberProps) {
  const value = of.values[name] as number | null;
  const [text, setText] = useState(value === null ? '' : String(value));
  const least = from > 0 || isDecimal ? ` of at least ${from}` : '';
  const error = Number.isNaN(value) ? `This must be a ${isDecimal ? '' : 'whole '}number${least}.` : undefined;
  const read = (typed: string) => {
    const number = Number(typed);
    const isRight = (isDecimal ? Number.isFinite(number) : /^\d+$/.test(typed)) && number >= from;
    return isRight ? number : Number.NaN;
  };
  return (
    <OwnField of={of} name={name} error={error} {...field}>
      {(id, _, set) => (
        <input
          id={id}
          className={`field tabular ${className}`}
          placeholder={placeholder}
          inputMode={isDecimal ? 'decimal' : 'numeric'}
          value={text}
          onChange={({ target }) => {
            const typed = target.value.trim();
            setText(typed);
            set((typed === '' ? null : read(typed)) as Values[Name]);
          }}
        />
      )}
    </OwnField>
  );
}

interface ChoiceProps<Value> {
  readonly choices: readonly (readonly [Value, string])[];
  readonly className?: string;
}

export function ChoiceField<Values extends object, Name extends NamesOf<Values, string>>({
  choices,
  className = '',
  ...field
}: FieldProps<Values, Name> & ChoiceProps<Values[Name] & string>) {
  return (
    <OwnField {...field}>
      {(id, value, set) => (
        <Choice id={id} value={value as Values[Name] & string} choices={choices} onChange={set} className={className} />
      )}
    </OwnField>
  );
}

export function CheckField<Values extends object>({
  of,
  name,
  label,
  className = '',
}: Pick<FieldProps<Values, NamesOf<Values, boolean>>, 'of' | 'name' | 'label'> & { readonly className?: string }) {
  return (
    <label className={`flex items-center gap-2 ${className}`}>
      <input
        type="checkbox"
        checked={of.values[name] as boolean}
        onChange={({ target }) => of.set({ [name]: target.checked } as unknown as Partial<Values>)}
      />
      {label}
    </label>
  );
}

interface FormSectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** Fields that belong together, in a form that is a page or a tab. */
export function FormSection({ title, aside, children }: FormSectionProps) {
  return (
    <Section title={title} aside={aside}>
      <div className="flex flex-col gap-4 border-t border-line pt-3">{children}</div>
    </Section>
  );
}

interface SaveButtonProps {
  readonly of: FormState;
  readonly isChanged?: boolean;
  /** Its label while it saves. */
  readonly busy?: string;
  readonly kind?: 'plain' | 'primary';
  readonly onSave: () => Promise<unknown>;
  readonly children: string;
}

/** Saves the form, and shows why that failed. */
export function SaveButton({ of, isChanged = true, busy, kind = 'plain', onSave, children }: SaveButtonProps) {
  return (
    <div>
      <Button
        kind={kind}
        disabled={!isChanged || of.isBusy || of.isWrong}
        onClick={() => void of.send(onSave, 'Saved')}
      >
        {of.isBusy && busy ? busy : children}
      </Button>
      <FormProblem of={of} className="my-2 max-w-180 whitespace-pre-wrap" />
    </div>
  );
}
