/** The layout of the fields of a form: the name on the left, the field and its problem on the right. */
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  UiSchema,
} from '@rjsf/utils';
import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../button.tsx';
import { FieldErrors, FormRow } from '../form/form-row.tsx';
import { shortened } from '../text/shortened.ts';
import { NAMELESS } from './form-schema.ts';

/** Fields with a frame of their own, and fields inside another one. */
function isFramed({ schema, uiSchema }: Pick<FieldTemplateProps, 'schema' | 'uiSchema'>): boolean {
  const { type, anyOf, oneOf } = schema;
  return (
    uiSchema?.['ui:field'] !== undefined ||
    anyOf !== undefined ||
    oneOf !== undefined ||
    [type].flat().some((one) => one === 'object' || one === 'array')
  );
}

export function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, schema, uiSchema, children, required, rawErrors, hidden, rawDescription } = props;
  if (hidden) return <div className="hidden">{children}</div>;
  if (isFramed(props)) return <>{children}</>;
  if (isNameless(uiSchema)) {
    return (
      <div className="min-w-0">
        {children}
        <FieldErrors errors={rawErrors} />
      </div>
    );
  }
  return (
    <FormRow
      id={id}
      title={label}
      description={rawDescription}
      isRequired={required}
      kind={kindOf(schema)}
      errors={rawErrors}
    >
      {children}
    </FormRow>
  );
}

function isNameless(uiSchema: UiSchema | undefined): boolean {
  return uiSchema?.['ui:options']?.['layout'] === NAMELESS;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  'date-time': 'date and time',
  date: 'date',
  duration: 'duration',
  password: 'secret text',
};

function kindOf({ type, format, enum: values }: FieldTemplateProps['schema']): string | undefined {
  if (values) return 'choice';
  return kinds[format ?? ''] ?? kinds[String([type].flat().find((one) => one !== 'null'))];
}

export function ObjectFieldTemplate({
  title,
  description,
  properties,
  fieldPathId,
  required,
  errorSchema,
  uiSchema,
}: ObjectFieldTemplateProps) {
  const fields = properties.map(({ content }) => content);
  if (fieldPathId.path.length === 0) return <>{fields}</>;
  return (
    <fieldset className="my-1.5 border-l-2 border-line pl-4">
      {isNameless(uiSchema) ? null : (
        <legend className="font-medium">
          {shortened(title)}
          {required ? <span className="text-quiet"> *</span> : null}
        </legend>
      )}
      {description ? (
        <p className="text-xs whitespace-pre-line text-quiet">
          {typeof description === 'string' ? shortened(description) : description}
        </p>
      ) : null}
      <FieldErrors errors={errorSchema?.__errors} />
      {fields}
    </fieldset>
  );
}

export function ArrayFieldTemplate({
  title,
  items,
  canAdd,
  onAddClick,
  readonly,
  required,
  schema,
  rawErrors,
}: ArrayFieldTemplateProps) {
  return (
    <FormRow title={title} description={schema.description} isRequired={required} kind="list" errors={rawErrors}>
      <div className="flex flex-col items-start gap-1">
        {items}
        {canAdd && !readonly ? (
          <Button onClick={onAddClick} aria-label={`Add to ${title}`}>
            <Plus size={13} /> Add
          </Button>
        ) : null}
      </div>
    </FormRow>
  );
}

export function ArrayFieldItemTemplate({
  children,
  buttonsProps,
  hasToolbar,
  index,
  readonly,
}: ArrayFieldItemTemplateProps) {
  return (
    <div className="flex w-full items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {hasToolbar && !readonly ? (
        <IconButton label={`Remove item ${index + 1}`} onClick={buttonsProps.onRemoveItem}>
          <X size={14} />
        </IconButton>
      ) : null}
    </div>
  );
}

export function MultiSchemaFieldTemplate({ schema, selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <FormRow title={schema.title ?? 'Value'} description={schema.description} kind="one of several types">
      <div className="flex flex-col gap-1">
        {selector}
        {optionSchemaField}
      </div>
    </FormRow>
  );
}
