/** Expressions of templates, by the grammar and the precedence of Jinja. */
import type { BinaryOperator, CallArguments, Comparison, ComparisonOperator, Expression } from './syntax-tree.ts';
import { TemplateSyntaxError } from './template-error.ts';
import { describe, type TokenStream } from './token-stream.ts';

/** Nesting depth of brackets and operators. */
const MAX_DEPTH = 100;
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

export class ExpressionParser {
  protected readonly tokens: TokenStream;
  #depth = 0;

  constructor(tokens: TokenStream) {
    this.tokens = tokens;
  }

  protected expression(withChoice = true): Expression {
    if (++this.#depth > MAX_DEPTH) throw new TemplateSyntaxError('the expression is nested too deeply');
    const expression = withChoice ? this.#choice() : this.#or();
    this.#depth--;
    return expression;
  }

  /** One expression, or several with commas between them. */
  protected tupleOrExpression(withChoice = true, isEnd: () => boolean = () => false): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    for (;;) {
      if (items.length > 0) {
        if (!this.tokens.skip('operator', ',')) break;
        isTuple = true;
      }
      if (this.#endsTuple() || isEnd()) break;
      items.push(this.expression(withChoice));
      if (!this.tokens.isOperator(',')) break;
    }
    const [only] = items;
    if (!only) throw new TemplateSyntaxError(`Expected an expression, got '${describe(this.tokens.current)}'`);
    return isTuple ? { kind: 'tuple', items } : only;
  }

  #endsTuple(): boolean {
    return this.tokens.is('variable_end') || this.tokens.is('block_end') || this.tokens.isOperator(')');
  }

  #choice(): Expression {
    let expression = this.#or();
    while (this.tokens.skip('name', 'if')) {
      const condition = this.#or();
      const otherwise = this.tokens.skip('name', 'else') ? this.#choice() : undefined;
      expression = { kind: 'choice', condition, value: expression, otherwise };
    }
    return expression;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.tokens.skip('name', 'or')) left = { kind: 'binary', operator: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.tokens.skip('name', 'and')) left = { kind: 'binary', operator: 'and', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (!this.tokens.skip('name', 'not')) return this.#compare();
    if (++this.#depth > MAX_DEPTH) throw new TemplateSyntaxError('the expression is nested too deeply');
    const operand = this.#not();
    this.#depth--;
    return { kind: 'unary', operator: 'not', operand };
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: Comparison[] = [];
    for (;;) {
      const operator = this.#comparisonOperator();
      if (!operator) break;
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest };
  }

  #comparisonOperator(): ComparisonOperator | undefined {
    const { kind, value } = this.tokens.current;
    if (kind === 'operator' && COMPARISONS.has(value)) return this.tokens.next().value as ComparisonOperator;
    if (this.tokens.skip('name', 'in')) return 'in';
    const { ahead } = this.tokens;
    if (!this.tokens.isName('not') || ahead?.kind !== 'name' || ahead.value !== 'in') return undefined;
    this.tokens.next();
    this.tokens.next();
    return 'not in';
  }

  #sum(): Expression {
    return this.#leftAssociative(['+', '-'], () => this.#concatenation());
  }

  #concatenation(): Expression {
    const parts = [this.#product()];
    while (this.tokens.skip('operator', '~')) parts.push(this.#product());
    return parts.length === 1 ? parts[0]! : { kind: 'concat', parts };
  }

  #product(): Expression {
    return this.#leftAssociative(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expression {
    return this.#leftAssociative(['**'], () => this.#unary(true));
  }

  #leftAssociative(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = operators.find((candidate) => this.tokens.isOperator(candidate));
      if (!operator) return left;
      this.tokens.next();
      left = { kind: 'binary', operator, left, right: operand() };
    }
  }

  #unary(withFilters: boolean): Expression {
    if (++this.#depth > MAX_DEPTH) throw new TemplateSyntaxError('the expression is nested too deeply');
    let expression: Expression;
    if (this.tokens.isOperator('-') || this.tokens.isOperator('+')) {
      const operator = this.tokens.next().value as '-' | '+';
      expression = { kind: 'unary', operator, operand: this.#unary(false) };
    } else {
      expression = this.#primary();
    }
    expression = this.#postfix(expression);
    this.#depth--;
    return withFilters ? this.#filtersAndTests(expression) : expression;
  }

  #primary(): Expression {
    const token = this.tokens.current;
    switch (token.kind) {
      case 'name':
        this.tokens.next();
        if (Object.hasOwn(CONSTANTS, token.value)) return { kind: 'literal', value: CONSTANTS[token.value] ?? null };
        return { kind: 'name', name: token.value };
      case 'string':
        return { kind: 'literal', value: this.#adjacentStrings() };
      case 'integer':
        this.tokens.next();
        return { kind: 'literal', value: BigInt(token.value) };
      case 'float':
        this.tokens.next();
        return { kind: 'literal', value: Number(token.value) };
      case 'operator':
        if (this.tokens.skip('operator', '(')) return this.#parenthesized();
        if (this.tokens.skip('operator', '[')) return { kind: 'list', items: this.#items(']') };
        if (this.tokens.skip('operator', '{')) return this.#dict();
        break;
      default:
        break;
    }
    throw this.tokens.unexpected();
  }

  #adjacentStrings(): string {
    let text = '';
    while (this.tokens.is('string')) text += this.tokens.next().value;
    return text;
  }

  #parenthesized(): Expression {
    if (this.tokens.skip('operator', ')')) return { kind: 'tuple', items: [] };
    const expression = this.tupleOrExpression();
    this.tokens.expect('operator', ')');
    return expression;
  }

  #items(close: string): Expression[] {
    const items: Expression[] = [];
    while (!this.tokens.isOperator(close)) {
      if (items.length > 0) this.tokens.expect('operator', ',');
      if (this.tokens.isOperator(close)) break;
      items.push(this.expression());
    }
    this.tokens.expect('operator', close);
    return items;
  }

  #dict(): Expression {
    const entries: [Expression, Expression][] = [];
    while (!this.tokens.isOperator('}')) {
      if (entries.length > 0) this.tokens.expect('operator', ',');
      if (this.tokens.isOperator('}')) break;
      const key = this.expression();
      this.tokens.expect('operator', ':');
      entries.push([key, this.expression()]);
    }
    this.tokens.expect('operator', '}');
    return { kind: 'dict', entries };
  }

  #postfix(start: Expression): Expression {
    let expression = start;
    for (;;) {
      if (this.tokens.skip('operator', '.')) expression = this.#attribute(expression);
      else if (this.tokens.skip('operator', '[')) expression = this.#subscript(expression);
      else if (this.tokens.isOperator('(')) expression = { kind: 'call', target: expression, ...this.callArguments() };
      else return expression;
    }
  }

  #attribute(target: Expression): Expression {
    const token = this.tokens.next();
    if (token.kind === 'name') return { kind: 'attribute', target, name: token.value };
    if (token.kind !== 'integer') throw new TemplateSyntaxError('expected name or number');
    return { kind: 'item', target, key: { kind: 'literal', value: BigInt(token.value) } };
  }

  #subscript(target: Expression): Expression {
    const keys: Expression[] = [];
    while (!this.tokens.isOperator(']')) {
      if (keys.length > 0) this.tokens.expect('operator', ',');
      keys.push(this.#subscriptKey());
    }
    this.tokens.expect('operator', ']');
    const [only] = keys;
    if (!only) throw new TemplateSyntaxError('expected subscript expression');
    return { kind: 'item', target, key: keys.length === 1 ? only : { kind: 'tuple', items: keys } };
  }

  #subscriptKey(): Expression {
    const bound = () =>
      this.tokens.isOperator(':') || this.tokens.isOperator(']') || this.tokens.isOperator(',')
        ? undefined
        : this.expression();
    const start = bound();
    if (!this.tokens.skip('operator', ':')) {
      if (!start) throw this.tokens.unexpected();
      return start;
    }
    const stop = bound();
    const step = this.tokens.skip('operator', ':') ? bound() : undefined;
    return { kind: 'slice', start, stop, step };
  }

  protected callArguments(): CallArguments {
    this.tokens.expect('operator', '(');
    const positional: Expression[] = [];
    const named: [string, Expression][] = [];
    while (!this.tokens.isOperator(')')) {
      if (positional.length + named.length > 0) this.tokens.expect('operator', ',');
      if (this.tokens.isOperator(')')) break;
      const { ahead } = this.tokens;
      if (this.tokens.is('name') && ahead?.kind === 'operator' && ahead.value === '=') {
        const name = this.tokens.next().value;
        this.tokens.next();
        named.push([name, this.expression()]);
      } else {
        if (named.length > 0) throw new TemplateSyntaxError('invalid syntax for function call expression');
        positional.push(this.expression());
      }
    }
    this.tokens.expect('operator', ')');
    return { positional, named };
  }

  #filtersAndTests(start: Expression): Expression {
    let expression = start;
    for (;;) {
      if (this.tokens.skip('operator', '|')) expression = this.filter(expression);
      else if (this.tokens.skip('name', 'is')) expression = this.#test(expression);
      else if (this.tokens.isOperator('(')) expression = { kind: 'call', target: expression, ...this.callArguments() };
      else return expression;
    }
  }

  /** A filter after `|`, or after the word `filter`. */
  protected filter(target: Expression | undefined): Expression {
    const name = this.#dottedName();
    const callArguments = this.tokens.isOperator('(') ? this.callArguments() : { positional: [], named: [] };
    return { kind: 'filter', target, name, ...callArguments };
  }

  #dottedName(): string {
    let name = this.tokens.expect('name').value;
    while (this.tokens.skip('operator', '.')) name += `.${this.tokens.expect('name').value}`;
    return name;
  }

  #test(target: Expression): Expression {
    const isNegated = this.tokens.skip('name', 'not');
    const name = this.#dottedName();
    const test: Expression = { kind: 'test', target, name, ...this.#testArguments() };
    return isNegated ? { kind: 'unary', operator: 'not', operand: test } : test;
  }

  /** One argument needs no parentheses: `x is divisibleby 3`. */
  #testArguments(): CallArguments {
    if (this.tokens.isOperator('(')) return this.callArguments();
    const { kind, value } = this.tokens.current;
    const takesOne =
      kind === 'string' || kind === 'integer' || kind === 'float' || (kind === 'operator' && /^[[{]$/.test(value));
    const isWord = kind === 'name' && !['else', 'or', 'and', 'is', 'if', 'not', 'in'].includes(value);
    if (!takesOne && !isWord) return { positional: [], named: [] };
    if (value === 'is') throw new TemplateSyntaxError('You cannot chain multiple tests with is');
    return { positional: [this.#postfix(this.#primary())], named: [] };
  }
}
