/** The syntax tree of a source file, without the parts in which a change means nothing. */
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the whole repository, declared at its root
import { parseAst } from 'rolldown/parseAst';

export interface SyntaxNode {
  readonly type: string;
  /** Positions in the text of the file. */
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A node with those around it, the innermost first. */
export interface Place {
  readonly node: SyntaxNode;
  readonly around: readonly SyntaxNode[];
}

/** `text` instead of what is between two positions. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The changes that an operator can make at one place. */
export type Operator = (source: string, place: Place) => readonly Edit[];

/** Properties whose values people read: documents of the API, reasons and messages. */
const PROSE = new Set([
  'summary',
  'description',
  'operationId',
  'title',
  'examples',
  '$id',
  'message',
  'reason',
  'tags',
]);
/** Parts of an expression that are code inside of types. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const LOG_CALL = /(?:^|\.)(?:log|logger)\??\.\w+$/;

/** Throws a SyntaxError when `source` is not TypeScript. */
export function parse(source: string): SyntaxNode {
  return parseAst(source, { lang: 'ts', sourceType: 'module' }) as unknown as SyntaxNode;
}

/** Every place at which a change may matter: no types, no imports, no text for people, no line of the log. */
export function* placesIn(source: string): Generator<Place> {
  yield* placesBelow(source, parse(source), []);
}

function* placesBelow(source: string, node: SyntaxNode, around: readonly SyntaxNode[]): Generator<Place> {
  if (isPassedOver(source, node)) return;
  yield { node, around };
  const inner = [node, ...around];
  for (const [field, value] of Object.entries(node)) {
    if (isProse(source, node, field)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* placesBelow(source, child, inner);
    }
  }
}

function isPassedOver(source: string, node: SyntaxNode): boolean {
  if (node.type.startsWith('TS')) return !TYPED.has(node.type);
  if (node.type === 'ExportNamedDeclaration') return isNode(node['source']);
  if (node.type === 'CallExpression') return LOG_CALL.test(textOf(source, node['callee']));
  return ['ImportDeclaration', 'ExportAllDeclaration', 'ThrowStatement'].includes(node.type);
}

function isProse(source: string, node: SyntaxNode, field: string): boolean {
  if (field === 'value' && node.type === 'Property') return PROSE.has(keyOf(source, node));
  return field === 'init' && node.type === 'VariableDeclarator' && PROSE.has(textOf(source, node['id']));
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

export function textOf(source: string, node: unknown): string {
  return isNode(node) ? source.slice(node.start, node.end) : '';
}

/** The name of a property, without quotes. */
export function keyOf(source: string, property: SyntaxNode): string {
  return textOf(source, property['key']).replace(/^['"]|['"]$/g, '');
}
