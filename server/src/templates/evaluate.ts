/** Renders parsed templates step by step, within bounds. */
import { attributeOf, itemOf, sliced } from './access.ts';
import { spend } from './budget.ts';
import type { Filters } from './filter.ts';
import { filters } from './filters.ts';
import { asKey, calculate, compare, MAX_SIZE, negate, tooLarge } from './operators.ts';
import { LoopState, Namespace } from './scope-objects.ts';
import type { CallArguments, Expression, Statement, Target } from './syntax/syntax-tree.ts';
import { TemplateRuntimeError, typeError } from './syntax/template-error.ts';
import { tests } from './tests.ts';
import {
  type Arguments,
  isTrue,
  iterate,
  numeric,
  TemplateFunction,
  textOf,
  tuple,
  typeName,
  Undefined,
  type Value,
  wholeNumber,
} from './values.ts';

class Scope {
  readonly values = new Map<string, Value>();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  get(name: string): Value | undefined {
    return this.values.has(name) ? this.values.get(name) : this.#outer?.get(name);
  }
}

export class Evaluator {
  readonly #globals: ReadonlyMap<string, Value>;
  readonly #filters: Filters;
  #length = 0;

  constructor(globals: ReadonlyMap<string, Value>, ownFilters: Filters) {
    this.#globals = globals;
    this.#filters = ownFilters;
  }

  render(statements: readonly Statement[]): string {
    return this.#run(statements, new Scope());
  }

  value(expression: Expression): Value {
    return this.#evaluate(expression, new Scope());
  }

  #run(statements: readonly Statement[], scope: Scope): string {
    let text = '';
    for (const statement of statements) {
      spend(1);
      const part = this.#execute(statement, scope);
      this.#length += part.length;
      if (this.#length > MAX_SIZE) throw tooLarge();
      text += part;
    }
    return text;
  }

  #execute(statement: Statement, scope: Scope): string {
    switch (statement.kind) {
      case 'text':
        return statement.text;
      case 'print':
        return textOf(this.#evaluate(statement.expression, scope));
      case 'if': {
        const branch = statement.branches.find(({ condition }) => isTrue(this.#evaluate(condition, scope)));
        return this.#run(branch?.body ?? statement.otherwise, scope);
      }
      case 'for':
        return this.#loop(statement, scope);
      case 'set':
        this.#assign(statement.target, this.#evaluate(statement.value, scope), scope);
        return '';
      case 'capture': {
        const captured = this.#run(statement.body, new Scope(scope));
        const { filter } = statement;
        this.#assign(statement.target, filter ? this.#applyFilters(filter, captured, scope) : captured, scope);
        return '';
      }
      case 'with': {
        const inner = new Scope(scope);
        for (const [target, value] of statement.values) this.#assign(target, this.#evaluate(value, scope), inner);
        return this.#run(statement.body, inner);
      }
      case 'filter_block': {
        const text = this.#run(statement.body, new Scope(scope));
        return textOf(this.#applyFilters(statement.filter, text, scope));
      }
    }
  }

  #loop(statement: Extract<Statement, { kind: 'for' }>, scope: Scope): string {
    const all = iterate(this.#evaluate(statement.iterated, scope));
    const { condition, target } = statement;
    const items = condition ? all.filter((item) => this.#passes(item, condition, target, scope)) : all;
    if (items.length === 0) return this.#run(statement.otherwise, scope);
    const outer = scope.get('loop');
    const loop = new LoopState(items, outer instanceof LoopState ? outer.depth + 1 : 1);
    let text = '';
    for (const item of items) {
      const inner = new Scope(scope);
      inner.values.set('loop', loop);
      this.#assign(target, item, inner);
      text += this.#run(statement.body, inner);
      loop.advance();
    }
    return text;
  }

  #passes(item: Value, condition: Expression, target: Target, scope: Scope): boolean {
    const inner = new Scope(scope);
    this.#assign(target, item, inner);
    return isTrue(this.#evaluate(condition, inner));
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'member') {
      const namespace = scope.get(target.object);
      if (!(namespace instanceof Namespace)) {
        throw new TemplateRuntimeError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
      }
      namespace.values.set(target.attribute, value);
      return;
    }
    if (!target.isTuple) {
      scope.values.set(target.names[0] ?? '', value);
      return;
    }
    if (numeric(value) !== undefined || value === null) {
      throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
    }
    const items = iterate(value);
    const wanted = target.names.length;
    if (items.length !== wanted) {
      const problem =
        items.length < wanted
          ? `not enough values to unpack (expected ${wanted}, got ${items.length})`
          : `too many values to unpack (expected ${wanted})`;
      throw new TemplateRuntimeError('ValueError', problem);
    }
    for (const [index, name] of target.names.entries()) scope.values.set(name, items[index] ?? null);
  }

  #evaluate(expression: Expression, scope: Scope): Value {
    spend(1);
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'name':
        return this.#name(expression.name, scope);
      case 'list':
        return expression.items.map((item) => this.#evaluate(item, scope));
      case 'tuple':
        return tuple(...expression.items.map((item) => this.#evaluate(item, scope)));
      case 'dict':
        return new Map(
          expression.entries.map(([key, item]) => [asKey(this.#evaluate(key, scope)), this.#evaluate(item, scope)]),
        );
      case 'attribute':
        return attributeOf(this.#evaluate(expression.target, scope), expression.name);
      case 'item':
        return this.#item(this.#evaluate(expression.target, scope), expression.key, scope);
      case 'slice':
        throw typeError('a slice stands in brackets only');
      case 'call':
        return this.#call(this.#evaluate(expression.target, scope), this.#arguments(expression, scope));
      case 'filter':
        return this.#filter(expression, scope);
      case 'test':
        return this.#test(expression, scope);
      case 'unary': {
        const operand = this.#evaluate(expression.operand, scope);
        return expression.operator === 'not' ? !isTrue(operand) : negate(expression.operator, operand);
      }
      case 'binary':
        return this.#binary(expression, scope);
      case 'compare':
        return this.#compare(expression, scope);
      case 'concat': {
        const parts = expression.parts.map((part) => textOf(this.#evaluate(part, scope)));
        if (parts.reduce((sum, part) => sum + part.length, 0) > MAX_SIZE) throw tooLarge();
        return parts.join('');
      }
      case 'choice':
        if (isTrue(this.#evaluate(expression.condition, scope))) return this.#evaluate(expression.value, scope);
        if (expression.otherwise) return this.#evaluate(expression.otherwise, scope);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
    }
  }

  #name(name: string, scope: Scope): Value {
    const inScope = scope.get(name);
    if (inScope !== undefined) return inScope;
    const global = this.#globals.get(name);
    return global === undefined ? new Undefined(`'${name}' is undefined`) : global;
  }

  #item(target: Value, key: Expression, scope: Scope): Value {
    if (key.kind !== 'slice') return itemOf(target, this.#evaluate(key, scope));
    const bound = (expression: Expression | undefined) => {
      const value = expression ? this.#evaluate(expression, scope) : null;
      return value === null ? undefined : wholeNumber(value, 'slice indices');
    };
    return sliced(target, bound(key.start), bound(key.stop), bound(key.step) ?? 1);
  }

  #arguments({ positional, named }: CallArguments, scope: Scope): Arguments {
    return {
      positional: positional.map((item) => this.#evaluate(item, scope)),
      named: new Map(named.map(([name, item]) => [name, this.#evaluate(item, scope)])),
    };
  }

  #call(target: Value, given: Arguments): Value {
    if (target instanceof TemplateFunction) return target.call(given);
    if (target instanceof Undefined) throw target.fault();
    throw typeError(`'${typeName(target)}' object is not callable`);
  }

  #filter(expression: Extract<Expression, { kind: 'filter' }>, scope: Scope): Value {
    const { name, target } = expression;
    const value = target ? this.#evaluate(target, scope) : new Undefined('a filter without a value');
    return this.#applyFilter(name, value, this.#arguments(expression, scope));
  }

  /** Applies filters that have no value of their own, to the text of a block. */
  #applyFilters(filter: Expression, text: string, scope: Scope): Value {
    if (filter.kind !== 'filter') return text;
    const value = filter.target ? this.#applyFilters(filter.target, text, scope) : text;
    return this.#applyFilter(filter.name, value, this.#arguments(filter, scope));
  }

  #applyFilter(name: string, value: Value, given: Arguments): Value {
    spend(1);
    const filter = this.#filters.get(name) ?? filters.get(name);
    if (!filter) throw new TemplateRuntimeError('TemplateAssertionError', `No filter named '${name}'.`);
    return filter(value, given, {
      filter: (other, target, others) => this.#applyFilter(other, target, others),
      test: (other, target, others) => this.#applyTest(other, target, others),
    });
  }

  #test(expression: Extract<Expression, { kind: 'test' }>, scope: Scope): boolean {
    const value = this.#evaluate(expression.target, scope);
    return this.#applyTest(expression.name, value, this.#arguments(expression, scope));
  }

  #applyTest(name: string, value: Value, given: Arguments): boolean {
    spend(1);
    if (name === 'filter') return filters.has(textOf(value)) || this.#filters.has(textOf(value));
    if (name === 'test') return tests.has(textOf(value));
    const test = tests.get(name);
    if (!test) throw new TemplateRuntimeError('TemplateAssertionError', `No test named '${name}'.`);
    return test(value, given);
  }

  #binary(expression: Extract<Expression, { kind: 'binary' }>, scope: Scope): Value {
    const { operator } = expression;
    const left = this.#evaluate(expression.left, scope);
    if (operator === 'and') return isTrue(left) ? this.#evaluate(expression.right, scope) : left;
    if (operator === 'or') return isTrue(left) ? left : this.#evaluate(expression.right, scope);
    return calculate(operator, left, this.#evaluate(expression.right, scope));
  }

  #compare(expression: Extract<Expression, { kind: 'compare' }>, scope: Scope): boolean {
    let left = this.#evaluate(expression.first, scope);
    for (const { operator, operand } of expression.rest) {
      const right = this.#evaluate(operand, scope);
      if (!compare(operator, left, right)) return false;
      left = right;
    }
    return true;
  }
}
