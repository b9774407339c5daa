/** The form itself; `schema-form.tsx` loads it on first use. */
// The index of the package also loads a validator that compiles code.

import Form from '@rjsf/core/lib/components/Form.js';
import type { RegistryFieldsType, RegistryWidgetsType } from '@rjsf/utils';
import { useEffect, useMemo, useState } from 'react';
import type { FieldProblem } from '../../api/problem.ts';
import { JsonEditor } from '../form/json-editor.tsx';
import { ProblemNote } from '../problem-note.tsx';
import { BlockField } from './block-field.tsx';
import type { FormContext } from './form-context.ts';
import { type FormValues, formSchemaOf, isOnlyJson, type JsonSchema, objectOf } from './form-schema.ts';
import { errorSchemaOf, withoutEmpty } from './form-values.ts';
import { JsonField } from './json-field.tsx';
import { parsedJson, textOf } from './json-text.ts';
import {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  FieldTemplate,
  MultiSchemaFieldTemplate,
  ObjectFieldTemplate,
} from './templates.tsx';
import { problemsOf, validator } from './validator.ts';
import {
  BaseInputTemplate,
  CheckboxWidget,
  DateTimeWidget,
  DateWidget,
  PasswordWidget,
  SelectWidget,
} from './widgets.tsx';

/** Problems shown above all fields. */
const MOST_TOLD = 50;

const fields: RegistryFieldsType = { json: JsonField, block: BlockField };
const widgets: RegistryWidgetsType = {
  CheckboxWidget,
  SelectWidget,
  DateTimeWidget,
  DateWidget,
  PasswordWidget,
  select: SelectWidget,
  choice: SelectWidget,
};
const templates = {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  BaseInputTemplate,
  FieldTemplate,
  MultiSchemaFieldTemplate,
  ObjectFieldTemplate,
};

export interface SchemaFormProps {
  /** Label of the section: `Parameters`. */
  readonly label: string;
  readonly schema: JsonSchema;
  readonly value: FormValues;
  /** Also called at the start, when the schema has defaults for fields without a value. */
  readonly onChange: (value: FormValues) => void;
  /**
   * Called with the problems of the values. The form may be sent when there are none. It must stay the same function.
   */
  readonly onProblems?: (problems: readonly FieldProblem[]) => void;
  /** Shown at their fields; those with an empty path are shown above all fields. */
  readonly problems?: readonly FieldProblem[];
  readonly isReadOnly?: boolean;
}

export function SchemaFormView({
  label,
  schema: source,
  value,
  onChange,
  onProblems,
  problems = [],
  isReadOnly = false,
}: SchemaFormProps) {
  const [wantsJson, setJson] = useState(false);
  const form = useMemo(() => formSchemaOf(source), [source]);
  const isForced = useMemo(() => isOnlyJson(form, value), [form, value]);
  const isJson = wantsJson || isForced;
  const [broken, setBrokenFields] = useState<ReadonlyMap<string, FieldProblem>>(new Map());
  const context = useMemo<FormContext>(
    () => ({
      setBroken: (id, problem) =>
        setBrokenFields((old) => {
          const next = new Map(old);
          if (problem) next.set(id, problem);
          else next.delete(id);
          return next;
        }),
    }),
    [],
  );
  const change = (next: unknown) => onChange(withoutEmpty(next, form.optional));
  useEffect(() => {
    onProblems?.([...problemsOf(form.schema, value), ...broken.values()]);
  }, [form, value, broken, onProblems]);
  const whole = problems.filter(({ path }) => path.length === 0);
  const hasFields = Object.keys(objectOf(form.schema.properties)).length > 0;
  return (
    <section aria-label={label}>
      <div className="mb-1 flex items-center justify-between">
        <h2 className="text-sm font-semibold">{label}</h2>
        <fieldset className="flex rounded-control border border-line text-xs">
          <legend className="sr-only">View of {label}</legend>
          {(['Form', 'JSON'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={isJson === (name === 'JSON')}
              disabled={isForced}
              onClick={() => {
                setBrokenFields(new Map());
                setJson(name === 'JSON');
              }}
              className="rounded-control px-2 py-0.5 text-soft aria-pressed:bg-selected aria-pressed:font-medium aria-pressed:text-ink"
            >
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      {[...whole, ...(isJson ? problems.filter(({ path }) => path.length > 0) : [])]
        .slice(0, MOST_TOLD)
        .map(({ path, message }) => (
          <p key={`${path.join('.')} ${message}`} role="alert" className="text-xs text-failed-text">
            {path.length > 0 ? `${path.join('.')}: ` : ''}
            {message}
          </p>
        ))}
      {isForced ? (
        <p className="mb-1 text-xs text-quiet">A form of these would have too many fields for a page.</p>
      ) : null}
      {isJson ? (
        <WholeJson label={label} value={value} isReadOnly={isReadOnly} onChange={change} context={context} />
      ) : hasFields ? (
        <Form
          tagName="div"
          schema={form.schema}
          uiSchema={form.ui}
          validator={validator}
          fields={fields}
          widgets={widgets}
          templates={templates}
          formContext={context}
          formData={value}
          extraErrors={errorSchemaOf(problems)}
          experimental_defaultFormStateBehavior={DEFAULTS}
          idPrefix={label.replaceAll(/\W+/g, '-').toLowerCase()}
          noValidate
          noHtml5Validate
          showErrorList={false}
          readonly={isReadOnly}
          onChange={({ formData }) => change(formData)}
        >
          {/* The form has no button: a button of the page around it sends the values. */}
          <span />
        </Form>
      ) : (
        <p className="py-1 text-quiet">There is nothing to fill in.</p>
      )}
    </section>
  );
}

const DEFAULTS = {
  emptyObjectFields: 'skipEmptyDefaults',
  constAsDefaults: 'always',
  requiredBooleanDefault: 'skip',
} as const;

interface WholeJsonProps {
  readonly label: string;
  readonly value: FormValues;
  readonly isReadOnly: boolean;
  readonly onChange: (value: unknown) => void;
  readonly context: FormContext;
}

function WholeJson({ label, value, isReadOnly, onChange, context }: WholeJsonProps) {
  const [text, setText] = useState(() => textOf(value));
  const [fault, setFault] = useState<string>();
  const change = (next: string) => {
    setText(next);
    const parsed = parsedJson(next);
    const isObject = 'value' in parsed && (parsed.value === undefined || objectOf(parsed.value) === parsed.value);
    const message =
      'fault' in parsed ? parsed.fault : isObject ? undefined : 'This must be an object: {"name": value}.';
    setFault(message);
    context.setBroken('whole', message === undefined ? undefined : { path: [], message });
    if ('value' in parsed && isObject) onChange(parsed.value ?? {});
  };
  return (
    <>
      <JsonEditor label={`${label} as JSON`} text={text} {...(isReadOnly ? {} : { onChange: change })} />
      <ProblemNote text={fault} className="mt-0.5 text-xs" />
    </>
  );
}
