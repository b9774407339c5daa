/** Cuts a template into tokens: text outside of tags, and the words of expressions inside of them. */
import { TemplateSyntaxError } from './template-error.ts';

export type TokenKind =
  | 'data'
  | 'variable_begin'
  | 'variable_end'
  | 'block_begin'
  | 'block_end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'eof'
  /** A fault of the text. It is thrown when the parser reaches it, so that faults are reported in order. */
  | 'fault';

export interface Token {
  readonly kind: TokenKind;
  /** The decoded text of a string, the digits of a number, the symbol, the message of a fault. */
  readonly value: string;
  /** Counted from 1. */
  readonly line: number;
}

const TAG = /\{\{|\{%|\{#/g;
const OPERATOR = /\*\*|\/\/|==|!=|<=|>=|[-+*/%~[\](){}<>=.:|,;]/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const FLOAT = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/y;
const INTEGER = /0[bB][01_]+|0[oO][0-7_]+|0[xX][\da-fA-F_]+|\d+(?:_\d+)*/y;
const STRING = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const LITERALS = [
  ['float', FLOAT],
  ['integer', INTEGER],
  ['name', NAME],
  ['string', STRING],
] as const;
const SPACE = /\s+/y;
const RAW_BEGIN = /([-+])?\s*raw\s*([-+])?%\}/y;
const RAW_END = /\{%([-+])?\s*endraw\s*([-+])?%\}/g;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

export function tokenize(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #index = 0;
  #line = 1;
  /** The position up to which lines are counted. */
  #counted = 0;
  /** True if the previous tag ended with `-`, so the white space after it is removed. */
  #strips = false;

  constructor(source: string) {
    // One newline at the end of a template is not part of it.
    this.#source = source.replace(/\r\n|\r/g, '\n').replace(/\n$/, '');
  }

  run(): Token[] {
    try {
      while (this.#index < this.#source.length) this.#next();
      this.#push('eof', '');
    } catch (error) {
      if (!(error instanceof TemplateSyntaxError)) throw error;
      this.#push('fault', error.message);
    }
    return this.#tokens;
  }

  #push(kind: TokenKind, value: string): void {
    for (; this.#counted < this.#index; this.#counted++) if (this.#source[this.#counted] === '\n') this.#line++;
    this.#tokens.push({ kind, value, line: this.#line });
  }

  #next(): void {
    TAG.lastIndex = this.#index;
    const tag = TAG.exec(this.#source);
    const end = tag?.index ?? this.#source.length;
    const stripsBefore = tag !== null && this.#source.charAt(end + 2) === '-';
    this.#data(this.#source.slice(this.#index, end), stripsBefore);
    this.#index = end;
    if (!tag) return;
    if (tag[0] === '{#') this.#comment();
    else if (tag[0] === '{%' && this.#raw()) return;
    else this.#expression(tag[0] === '{{' ? 'variable' : 'block');
  }

  #data(text: string, stripsEnd: boolean): void {
    let data = this.#strips ? text.trimStart() : text;
    if (stripsEnd) data = data.trimEnd();
    this.#strips = false;
    if (data !== '') this.#push('data', data);
  }

  #comment(): void {
    const end = this.#source.indexOf('#}', this.#index + 2);
    if (end < 0) throw new TemplateSyntaxError('Missing end of comment tag');
    this.#strips = this.#source.charAt(end - 1) === '-';
    this.#index = end + 2;
  }

  #raw(): boolean {
    RAW_BEGIN.lastIndex = this.#index + 2;
    const begin = RAW_BEGIN.exec(this.#source);
    if (!begin) return false;
    RAW_END.lastIndex = RAW_BEGIN.lastIndex;
    const end = RAW_END.exec(this.#source);
    if (!end) throw new TemplateSyntaxError('Missing end of raw directive');
    this.#strips = begin[2] === '-';
    this.#data(this.#source.slice(RAW_BEGIN.lastIndex, end.index), end[1] === '-');
    this.#strips = end[2] === '-';
    this.#index = RAW_END.lastIndex;
    return true;
  }

  /** Counts brackets, so that `}}` inside a mapping does not end the tag. */
  #expression(tag: 'variable' | 'block'): void {
    this.#push(`${tag}_begin`, '');
    this.#index += 2;
    if (/[-+]/.test(this.#source.charAt(this.#index))) this.#index++;
    const close = tag === 'variable' ? '}}' : '%}';
    const open: string[] = [];
    for (;;) {
      this.#match(SPACE);
      if (this.#index >= this.#source.length) return;
      if (open.length === 0) {
        const sign = /[-+]/.test(this.#source.charAt(this.#index)) ? 1 : 0;
        if (this.#source.startsWith(close, this.#index + sign)) {
          this.#strips = this.#source.charAt(this.#index) === '-';
          this.#index += sign + 2;
          this.#push(`${tag}_end`, '');
          return;
        }
      }
      this.#word(open);
    }
  }

  #word(open: string[]): void {
    if (this.#literal()) return;
    const operator = this.#match(OPERATOR);
    if (operator === undefined) {
      throw new TemplateSyntaxError(`unexpected char ${quoted(this.#source.charAt(this.#index))} at ${this.#index}`);
    }
    const closing = CLOSING[operator];
    if (closing) {
      open.push(closing);
    } else if (/[)\]}]/.test(operator)) {
      const expected = open.pop();
      if (expected === undefined) throw new TemplateSyntaxError(`unexpected '${operator}'`);
      if (expected !== operator) throw new TemplateSyntaxError(`unexpected '${operator}', expected '${expected}'`);
    }
    this.#push('operator', operator);
  }

  /** A number, a name or a text. */
  #literal(): boolean {
    for (const [kind, pattern] of LITERALS) {
      const text = this.#match(pattern);
      if (text === undefined) continue;
      const isNumber = kind === 'float' || kind === 'integer';
      this.#push(
        kind,
        isNumber ? text.replaceAll('_', '') : kind === 'string' ? decodeEscapes(text.slice(1, -1)) : text,
      );
      return true;
    }
    return false;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    const match = pattern.exec(this.#source)?.[0];
    if (match !== undefined) this.#index += match.length;
    return match;
  }
}

function quoted(character: string): string {
  return character === "'" ? `"'"` : `'${character}'`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '0': '\0',
  '\n': '',
};

function decodeEscapes(text: string): string {
  return text.replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|[\s\S])/g, (_match, escaped: string) => {
    if (escaped.length > 1) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return ESCAPES[escaped] ?? (/['"\\]/.test(escaped) ? escaped : `\\${escaped}`);
  });
}
