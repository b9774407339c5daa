/** Chooses a block document of the schema's type. */
import type { FieldProps } from '@rjsf/utils';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/read.ts';
import { FormRow } from '../form/form-row.tsx';
import { objectOf } from './form-schema.ts';

const MOST_DOCUMENTS = 200;

const documentsQuery = (slug: string) =>
  read.one('/block_documents/filter', {
    body: { block_types: { slug: { any_: [slug] } }, limit: MOST_DOCUMENTS, include_secrets: false },
  });

export function BlockField({
  name,
  schema,
  uiSchema,
  formData,
  onChange,
  fieldPathId,
  required,
  rawErrors,
  readonly,
}: FieldProps) {
  const slug = String(uiSchema?.['ui:options']?.['slug']);
  const { data: documents = [], isPending, error } = useQuery(documentsQuery(slug));
  const chosen = documentOf(formData);
  const title = schema.title ?? name;
  const { $id: id, path } = fieldPathId;
  return (
    <FormRow
      id={id}
      title={title}
      description={schema.description}
      isRequired={required}
      kind={`block ${slug}`}
      errors={error ? [error.message] : rawErrors}
    >
      <select
        id={id}
        className="field"
        value={chosen ?? ''}
        disabled={readonly || isPending}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : { $ref: { block_document_id: target.value } }, path)
        }
      >
        <option value="">{documents.length > 0 || isPending ? 'None' : `There is no block of type ${slug} yet`}</option>
        {chosen !== undefined && !documents.some((one) => one.id === chosen) ? (
          <option value={chosen}>{chosen}</option>
        ) : null}
        {documents.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </FormRow>
  );
}

/** `{"$ref": {"block_document_id": "…"}}`, or the id itself in place of the object. */
function documentOf(value: unknown): string | undefined {
  const { $ref: reference } = objectOf(value);
  const id = typeof reference === 'string' ? reference : objectOf(reference)['block_document_id'];
  return typeof id === 'string' ? id : undefined;
}
