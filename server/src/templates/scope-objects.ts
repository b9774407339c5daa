/** Objects that templates find in their scope. */
import { TemplateRuntimeError } from './syntax/template-error.ts';
import { type Arguments, isEqual, TemplateFunction, TemplateObject, tuple, Undefined, type Value } from './values.ts';

/** `loop` inside `{% for %}`. */
export class LoopState extends TemplateObject {
  readonly depth: number;
  readonly #items: readonly Value[];
  #index = 0;
  #last: Value | undefined;

  constructor(items: readonly Value[], depth: number) {
    super();
    this.#items = items;
    this.depth = depth;
  }

  advance(): void {
    this.#index++;
  }

  attribute(name: string): Value | undefined {
    const [index, length] = [this.#index, this.#items.length];
    switch (name) {
      case 'index':
        return BigInt(index + 1);
      case 'index0':
        return BigInt(index);
      case 'revindex':
        return BigInt(length - index);
      case 'revindex0':
        return BigInt(length - index - 1);
      case 'first':
        return index === 0;
      case 'last':
        return index === length - 1;
      case 'length':
        return BigInt(length);
      case 'depth':
        return BigInt(this.depth);
      case 'depth0':
        return BigInt(this.depth - 1);
      case 'previtem':
        return this.#items[index - 1] ?? new Undefined('there is no previous item');
      case 'nextitem':
        return this.#items[index + 1] ?? new Undefined('there is no next item');
      case 'cycle':
        return new TemplateFunction('cycle', ({ positional }) => this.#cycle(positional));
      case 'changed':
        return new TemplateFunction('changed', ({ positional }) => this.#changed(positional));
      default:
        return undefined;
    }
  }

  #cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw new TemplateRuntimeError('TypeError', 'no items for cycling given');
    return values[this.#index % values.length] ?? null;
  }

  #changed(values: readonly Value[]): boolean {
    const current = tuple(...values);
    const changed = this.#last === undefined || !isEqual(this.#last, current);
    this.#last = current;
    return changed;
  }

  print(): string {
    return `<LoopContext ${this.#index + 1}/${this.#items.length}>`;
  }
}

/**
 * The result of `namespace()`: the only object through which `{% set %}` inside a loop changes values outside of it.
 */
export class Namespace extends TemplateObject {
  readonly values: Map<string, Value>;

  constructor(given: Arguments) {
    super();
    const [first] = given.positional;
    const from = first instanceof Map ? (first as ReadonlyMap<Value, Value>) : new Map<Value, Value>();
    this.values = new Map([...Array.from(from, ([key, value]) => [String(key), value] as const), ...given.named]);
  }

  attribute(name: string): Value | undefined {
    return this.values.get(name);
  }

  print(): string {
    return '<Namespace>';
  }
}
