/** Statements of templates. */
import { ExpressionParser } from './expression-parser.ts';
import { tokenize } from './lexer.ts';
import type { Branch, Expression, Statement, Target } from './syntax-tree.ts';
import { TemplateSyntaxError } from './template-error.ts';
import { describe, TokenStream } from './token-stream.ts';

/** Nesting depth of blocks. */
const MAX_DEPTH = 50;

/** Throws TemplateSyntaxError. */
export function parse(source: string): Statement[] {
  const tokens = new TokenStream(tokenize(source));
  try {
    return new Parser(tokens).template();
  } catch (error) {
    if (error instanceof TemplateSyntaxError) error.line = tokens.line;
    throw error;
  }
}

class Parser extends ExpressionParser {
  /** The open blocks, outermost first, with the tags that end each. */
  readonly #open: { readonly name: string; readonly ends: readonly string[] }[] = [];

  template(): Statement[] {
    const statements = this.#statements([]);
    if (!this.tokens.is('eof')) throw this.#unknownTag();
    return statements;
  }

  /** Parses up to the end, or to a tag in `ends`; the tag's name is then the current token. */
  #statements(ends: readonly string[]): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      const token = this.tokens.next();
      if (token.kind === 'eof') return statements;
      if (token.kind === 'data') {
        statements.push({ kind: 'text', text: token.value });
      } else if (token.kind === 'variable_begin') {
        statements.push({ kind: 'print', expression: this.tupleOrExpression() });
        this.tokens.expect('variable_end');
      } else {
        if (this.tokens.is('name') && ends.includes(this.tokens.current.value)) return statements;
        statements.push(this.#statement());
        this.tokens.expect('block_end');
      }
    }
  }

  #statement(): Statement {
    const token = this.tokens.current;
    if (token.kind !== 'name') throw new TemplateSyntaxError('tag name expected');
    const parseTag = this.#tags.get(token.value);
    if (!parseTag) throw this.#unknownTag();
    if (this.#open.length >= MAX_DEPTH) throw new TemplateSyntaxError('the template is nested too deeply');
    this.tokens.next();
    return parseTag();
  }

  #unknownTag(): TemplateSyntaxError {
    return new TemplateSyntaxError(`Encountered unknown tag '${this.tokens.current.value}'.`);
  }

  readonly #tags: ReadonlyMap<string, () => Statement> = new Map([
    ['if', () => this.#if()],
    ['for', () => this.#for()],
    ['set', () => this.#set()],
    ['with', () => this.#with()],
    ['filter', () => this.#filterBlock()],
    ['block', () => this.#block()],
  ]);

  /** The statements of a block, up to one of `ends`. */
  #body(name: string, ends: readonly string[]): Statement[] {
    this.tokens.expect('block_end');
    this.#open.push({ name, ends });
    const body = this.#statements(ends);
    if (this.tokens.is('eof')) throw this.#unclosed();
    this.#open.pop();
    return body;
  }

  #unclosed(): TemplateSyntaxError {
    const innermost = this.#open.at(-1);
    const looking = innermost?.ends.map((end) => `'${end}'`).join(' or ');
    return new TemplateSyntaxError(
      `Unexpected end of template. Jinja was looking for the following tags: ${looking}. The innermost block that needs to be closed is '${innermost?.name}'.`,
    );
  }

  #if(): Statement {
    const branches: Branch[] = [];
    for (;;) {
      const condition = this.tupleOrExpression(false);
      branches.push({ condition, body: this.#body('if', ['elif', 'else', 'endif']) });
      const tag = this.tokens.next().value;
      if (tag === 'endif') return { kind: 'if', branches, otherwise: [] };
      if (tag === 'else') {
        const otherwise = this.#body('if', ['endif']);
        this.tokens.next();
        return { kind: 'if', branches, otherwise };
      }
    }
  }

  #for(): Statement {
    const target = this.#target(() => this.tokens.isName('in'));
    this.tokens.expect('name', 'in');
    const iterated = this.tupleOrExpression(false, () => this.tokens.isName('recursive'));
    const condition = this.tokens.skip('name', 'if') ? this.expression() : undefined;
    const body = this.#body('for', ['endfor', 'else']);
    let otherwise: Statement[] = [];
    if (this.tokens.next().value === 'else') {
      otherwise = this.#body('for', ['endfor']);
      this.tokens.next();
    }
    return { kind: 'for', target, iterated, condition, body, otherwise };
  }

  #set(): Statement {
    const target = this.#target(() => this.tokens.isOperator('='), true);
    if (this.tokens.skip('operator', '=')) return { kind: 'set', target, value: this.tupleOrExpression() };
    let filter: Expression | undefined;
    while (this.tokens.skip('operator', '|')) filter = this.filter(filter);
    const body = this.#body('set', ['endset']);
    this.tokens.next();
    return { kind: 'capture', target, filter, body };
  }

  #with(): Statement {
    const values: [Target, Expression][] = [];
    while (!this.tokens.is('block_end')) {
      if (values.length > 0) this.tokens.expect('operator', ',');
      const target = this.#singleTarget();
      this.tokens.expect('operator', '=');
      values.push([target, this.expression()]);
    }
    const body = this.#body('with', ['endwith']);
    this.tokens.next();
    return { kind: 'with', values, body };
  }

  #filterBlock(): Statement {
    let filter = this.filter(undefined);
    while (this.tokens.skip('operator', '|')) filter = this.filter(filter);
    const body = this.#body('filter', ['endfilter']);
    this.tokens.next();
    return { kind: 'filter_block', filter, body };
  }

  /** A block renders its own text, because there is no inheritance. */
  #block(): Statement {
    this.tokens.expect('name');
    const body = this.#body('block', ['endblock']);
    this.tokens.next();
    this.tokens.skip('name');
    return { kind: 'with', values: [], body };
  }

  #singleTarget(): Target {
    return { kind: 'names', names: [this.tokens.expect('name').value], isTuple: false };
  }

  #target(isEnd: () => boolean, mayBeMember = false): Target {
    const names: string[] = [];
    let isTuple = false;
    const inParentheses = this.tokens.skip('operator', '(');
    while (!isEnd() && !this.tokens.isOperator(')')) {
      if (names.length > 0) {
        if (!this.tokens.skip('operator', ',')) break;
        isTuple = true;
        if (isEnd()) break;
      }
      if (!this.tokens.is('name')) {
        throw names.length === 0 && this.tokens.is('block_end')
          ? new TemplateSyntaxError(`Expected an expression, got '${describe(this.tokens.current)}'`)
          : this.tokens.unexpected();
      }
      names.push(this.tokens.next().value);
      if (mayBeMember && names.length === 1 && this.tokens.skip('operator', '.')) {
        return { kind: 'member', object: names[0] ?? '', attribute: this.tokens.expect('name').value };
      }
    }
    if (inParentheses) this.tokens.expect('operator', ')');
    if (names.length === 0) throw this.tokens.unexpected();
    return { kind: 'names', names, isTuple };
  }
}
