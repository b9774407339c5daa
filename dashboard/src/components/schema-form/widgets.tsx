/** The controls of a form. */
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils';
import { preferences } from '../../preferences/preferences.ts';
import { NAMELESS } from './form-schema.ts';

const LONG_TEXT = 80;

/** A text field with as many lines as its text. */
export function BaseInputTemplate({
  id,
  label,
  value,
  type,
  schema,
  options,
  placeholder,
  required,
  readonly,
  disabled,
  rawErrors,
  onChange,
}: BaseInputTemplateProps) {
  const text = value === undefined || value === null ? '' : String(value);
  const change = (next: string) => onChange(next === '' ? options.emptyValue : next);
  const isNumber = [schema.type].flat().some((one) => one === 'integer' || one === 'number');
  const common = {
    id,
    name: id,
    'aria-label': options['layout'] === NAMELESS ? label : undefined,
    'aria-required': required,
    readOnly: readonly,
    disabled,
    'aria-invalid': (rawErrors?.length ?? 0) > 0,
  };
  if (type !== 'password' && (text.includes('\n') || text.length > LONG_TEXT)) {
    return (
      <textarea
        {...common}
        className="field h-auto py-1"
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    );
  }
  return (
    <input
      {...common}
      className={`field ${isNumber ? 'tabular max-w-40' : ''}`}
      type={type === 'password' ? 'password' : 'text'}
      inputMode={isNumber ? 'decimal' : undefined}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      spellCheck={false}
      placeholder={placeholder || hints[schema.format ?? '']}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

const hints: Readonly<Record<string, string>> = { duration: 'PT30S, PT1H30M, P2D' };

export function PasswordWidget(props: WidgetProps) {
  return <BaseInputTemplate {...(props as BaseInputTemplateProps)} type="password" />;
}

export function CheckboxWidget({ id, label, value, disabled, readonly, onChange }: WidgetProps) {
  return (
    <span className="flex h-(--row-control) items-center">
      <input
        type="checkbox"
        id={id}
        aria-label={label}
        checked={value === true}
        disabled={disabled || readonly}
        onChange={({ target }) => onChange(target.checked)}
      />
    </span>
  );
}

/** Values of a list of choices may have any type, so options are identified by their index. */
export function SelectWidget({
  id,
  label,
  value,
  options,
  schema,
  multiple,
  required,
  disabled,
  readonly,
  rawErrors,
  onChange,
}: WidgetProps) {
  const choices = (options.enumOptions ?? []).filter(({ value: one }) => one !== null);
  const placeOf = (one: unknown) => choices.findIndex((choice) => choice.value === one);
  const common = {
    id,
    'aria-label': label,
    disabled: disabled || readonly,
    'aria-invalid': (rawErrors?.length ?? 0) > 0,
  };
  const list = choices.map((choice, place) => (
    <option key={choice.label} value={place}>
      {choice.label}
    </option>
  ));
  if (multiple) {
    const places = Array.isArray(value) ? value.map((one) => String(placeOf(one))) : [];
    return (
      <select
        {...common}
        multiple
        className="field h-auto py-1"
        size={Math.min(8, choices.length)}
        value={places}
        onChange={({ target }) => onChange([...target.selectedOptions].map((one) => choices[Number(one.value)]?.value))}
      >
        {list}
      </select>
    );
  }
  const place = placeOf(value);
  return (
    <select
      {...common}
      className="field w-auto max-w-full self-start pr-6"
      value={place === -1 ? '' : place}
      onChange={({ target }) =>
        onChange(target.value === '' ? options.emptyValue : choices[Number(target.value)]?.value)
      }
    >
      {required && schema.default !== undefined && place !== -1 ? null : <option value="">–</option>}
      {list}
    </select>
  );
}

/** A time in the reader's chosen zone, stored as UTC. */
export function DateTimeWidget({ id, label, value, options, disabled, readonly, rawErrors, onChange }: WidgetProps) {
  const isUtc = preferences().zone === 'utc';
  const time = typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value) : undefined;
  const shift = time && !isUtc ? time.getTimezoneOffset() * 60_000 : 0;
  const shown = time ? new Date(time.getTime() - shift).toISOString().slice(0, 19) : '';
  const change = (text: string) => {
    const read = new Date(isUtc ? `${text}Z` : text);
    onChange(text === '' || Number.isNaN(read.getTime()) ? options.emptyValue : read.toISOString());
  };
  return (
    <span className="flex items-center gap-2">
      <input
        id={id}
        aria-label={label}
        aria-invalid={(rawErrors?.length ?? 0) > 0}
        type="datetime-local"
        step={1}
        className="field tabular w-auto"
        value={shown}
        disabled={disabled || readonly}
        onChange={({ target }) => change(target.value)}
      />
      <span className="text-xs text-quiet">{isUtc ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone}</span>
    </span>
  );
}

export function DateWidget({ id, label, value, options, disabled, readonly, onChange }: WidgetProps) {
  return (
    <input
      id={id}
      aria-label={label}
      type="date"
      className="field tabular w-auto"
      value={typeof value === 'string' ? value : ''}
      disabled={disabled || readonly}
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  );
}
