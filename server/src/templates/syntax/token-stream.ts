import type { Token, TokenKind } from './lexer.ts';
import { TemplateSyntaxError } from './template-error.ts';

const KIND_NAMES: Partial<Record<TokenKind, string>> = {
  variable_begin: 'begin of print statement',
  variable_end: 'end of print statement',
  block_begin: 'begin of statement block',
  block_end: 'end of statement block',
  eof: 'end of template',
  data: 'template data / text',
};

export class TokenStream {
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Throws TemplateSyntaxError at a fault of the text. */
  get current(): Token {
    const token = this.#tokens[this.#index] ?? { kind: 'eof', value: '', line: this.line };
    if (token.kind === 'fault') throw new TemplateSyntaxError(token.value);
    return token;
  }

  /** The line of the current token, or of the last one at the end. */
  get line(): number {
    return (this.#tokens[this.#index] ?? this.#tokens.at(-1))?.line ?? 1;
  }

  get ahead(): Token | undefined {
    return this.#tokens[this.#index + 1];
  }

  next(): Token {
    const token = this.current;
    if (token.kind !== 'eof') this.#index++;
    return token;
  }

  /** Skips the current token and returns true, if it is this one. */
  skip(kind: TokenKind, value?: string): boolean {
    if (!this.is(kind, value)) return false;
    this.next();
    return true;
  }

  is(kind: TokenKind, value?: string): boolean {
    const { current } = this;
    return current.kind === kind && (value === undefined || current.value === value);
  }

  isOperator(value: string): boolean {
    return this.is('operator', value);
  }

  isName(value: string): boolean {
    return this.is('name', value);
  }

  /** Throws TemplateSyntaxError when the current token is another one. */
  expect(kind: TokenKind, value?: string): Token {
    if (!this.is(kind, value)) {
      const wanted = value ?? KIND_NAMES[kind] ?? kind;
      if (this.is('eof')) throw new TemplateSyntaxError(`unexpected end of template, expected '${wanted}'.`);
      throw new TemplateSyntaxError(`expected token '${wanted}', got '${describe(this.current)}'`);
    }
    return this.next();
  }

  unexpected(): TemplateSyntaxError {
    return new TemplateSyntaxError(`unexpected '${describe(this.current)}'`);
  }
}

export function describe({ kind, value }: Token): string {
  return KIND_NAMES[kind] ?? (kind === 'name' || kind === 'operator' ? value : kind);
}
