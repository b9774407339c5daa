/** A field whose schema allows too much for anything but JSON. */
import type { FieldProps } from '@rjsf/utils';
import { useRef, useState } from 'react';
import { FormRow } from '../form/form-row.tsx';
import { JsonEditor } from '../form/json-editor.tsx';
import type { FormContext } from './form-context.ts';
import { parsedJson, textOf } from './json-text.ts';

const MOST_HEIGHT = 240;

export function JsonField({
  name,
  schema,
  formData,
  onChange,
  fieldPathId,
  required,
  rawErrors,
  readonly,
  registry,
}: FieldProps) {
  const [text, setText] = useState(() => textOf(formData));
  const [fault, setFault] = useState<string>();
  const last = useRef(formData);
  // A value from outside replaces the text; a typed one leaves the text unchanged.
  if (JSON.stringify(formData) !== JSON.stringify(last.current)) {
    last.current = formData;
    setText(textOf(formData));
    setFault(undefined);
  }
  const { $id: id, path } = fieldPathId;
  const change = (next: string) => {
    setText(next);
    const parsed = parsedJson(next);
    const message = 'fault' in parsed ? parsed.fault : undefined;
    setFault(message);
    const { setBroken } = registry.formContext as FormContext;
    setBroken(id, message === undefined ? undefined : { path: path.map(String), message });
    if ('fault' in parsed) return;
    last.current = parsed.value;
    onChange(parsed.value, path);
  };
  const title = schema.title ?? name;
  return (
    <FormRow
      title={title}
      description={schema.description}
      isRequired={required}
      kind="JSON"
      errors={fault ? [fault] : rawErrors}
    >
      <JsonEditor
        label={title}
        text={text}
        maxHeight={MOST_HEIGHT}
        isNumbered={false}
        {...(readonly ? {} : { onChange: change })}
      />
    </FormRow>
  );
}
