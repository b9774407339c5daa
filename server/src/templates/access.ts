/** Access of a template to attributes and items of a value. */
import { methodOf } from './methods.ts';
import { asKey } from './operators.ts';
import { TemplateRuntimeError } from './syntax/template-error.ts';
import { iterate, TemplateObject, Tuple, textOf, tuple, typeName, Undefined, type Value } from './values.ts';

/**
 * `value.name`: a method or attribute, else the item with that key. Names that begin with two underscores are refused.
 */
export function attributeOf(target: Value, name: string): Value {
  if (target instanceof Undefined) return target;
  if (name.startsWith('__')) {
    const reason = `access to attribute '${name}' of '${typeName(target)}' object is unsafe.`;
    return new Undefined(reason, 'SecurityError');
  }
  if (target instanceof TemplateObject) {
    const value = target.attribute(name);
    return value === undefined ? missing(target, name) : value;
  }
  const item = target instanceof Map ? target.get(name) : undefined;
  return methodOf(target, name) ?? (item === undefined ? missing(target, name) : item);
}

/** `value[key]`: an item, else the attribute with that name. */
export function itemOf(target: Value, key: Value): Value {
  if (target instanceof Undefined) return target;
  if (target instanceof Map) {
    const item = target.get(asKey(key));
    if (item !== undefined) return item;
  } else if (typeof key === 'bigint' && (typeof target === 'string' || Array.isArray(target))) {
    const items = iterate(target);
    const index = Number(key) < 0 ? Number(key) + items.length : Number(key);
    return items[index] ?? missing(target, key);
  }
  return typeof key === 'string' ? attributeOf(target, key) : missing(target, key);
}

function missing(target: Value, name: Value): Undefined {
  const shown = typeof name === 'string' ? `attribute '${name}'` : `element ${textOf(name)}`;
  const kind = target instanceof Map ? 'dict object' : `${typeName(target)} object`;
  return new Undefined(`'${kind}' has no ${shown}`);
}

/** Slices like Python; `step` may be negative. */
export function sliced(target: Value, start: number | undefined, stop: number | undefined, step: number): Value {
  if (!(typeof target === 'string' || Array.isArray(target)))
    return new Undefined(`'${typeName(target)}' is no sequence`);
  if (step === 0) throw new TemplateRuntimeError('ValueError', 'slice step cannot be zero');
  const items = iterate(target);
  const { length } = items;
  const clamp = (index: number, low: number, high: number) =>
    Math.min(Math.max(index < 0 ? index + length : index, low), high);
  const picked: Value[] = [];
  if (step > 0) {
    const end = clamp(stop ?? length, 0, length);
    for (let index = clamp(start ?? 0, 0, length); index < end; index += step) picked.push(items[index] ?? null);
  } else {
    const end = stop === undefined ? -1 : clamp(stop, -1, length - 1);
    for (let index = clamp(start ?? length - 1, -1, length - 1); index > end; index += step)
      picked.push(items[index] ?? null);
  }
  if (typeof target === 'string') return picked.join('');
  return target instanceof Tuple ? tuple(...picked) : picked;
}

/** A path as in `map(attribute='a.b.0')`: names and indexes with dots between them. */
export function follow(target: Value, path: Value): Value {
  if (typeof path !== 'string') return itemOf(target, path);
  return path.split('.').reduce((value, step) => itemOf(value, /^\d+$/.test(step) ? BigInt(step) : step), target);
}
