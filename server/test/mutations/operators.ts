/** Changes of code, each of which a test should notice. */
import { type Edit, isNode, keyOf, type Operator, type SyntaxNode, textOf } from './syntax.ts';
import { textOperators } from './text-operators.ts';

const OTHER_COMPARISON: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};

/** What asks for less than each: roles, the access that a route declares, permissions. */
const WEAKER: Readonly<Record<string, string>> = {
  admin: 'editor',
  editor: 'viewer',
  'organization:admin': 'organization:member',
  session: 'public',
  actor: 'public',
  either: 'public',
  'secrets:read': 'settings:read',
};

/** One more or less of these is a matter of speed or memory, which no test measures to the unit. */
const HINT = /timeout|second|capacity|bytes|cache|delay|pause|entries|size|length|^most|^max/i;
/** Calls without which a program does the same, and the one that no class can leave out. */
const IDLE_CALL = /\blog(?:ger)?\b|^super$|^clear(?:Timeout|Interval)$|\b(?:unref|refreshStatistics)$/;
const HIDING = /^(?:redact|mask\w*|hid(?:e|den)\w*|without\w*|shown\w*)$/;

const syntaxOperators = {
  'negate a condition': (source, { node }) => {
    const test = ['IfStatement', 'ConditionalExpression'].includes(node.type) ? node['test'] : undefined;
    if (!isNode(test)) return [];
    return [replaced(test, test['operator'] === '!' ? textOf(source, test['argument']) : `!(${textOf(source, test)})`)];
  },
  'flip a comparison': (source, { node }) => {
    const other = node.type === 'BinaryExpression' && OTHER_COMPARISON[String(node['operator'])];
    return other ? [betweenSides(source, node, other)] : [];
  },
  'swap && and ||': (source, { node }) => {
    const operator = node.type === 'LogicalExpression' ? node['operator'] : undefined;
    if (operator !== '&&' && operator !== '||') return [];
    return [betweenSides(source, node, operator === '&&' ? '||' : '&&')];
  },
  'drop an element': (source, { node }) =>
    node.type === 'ArrayExpression' ? membersOf(node['elements']).map((element) => dropped(source, element)) : [],
  'drop a property': (source, { node }) =>
    node.type === 'ObjectExpression' ? membersOf(node['properties']).map((property) => dropped(source, property)) : [],
  'ask for less': (_source, { node, around: [parent] }) => {
    const value = node.type === 'Literal' ? node['value'] : undefined;
    if (typeof value !== 'string' || (parent?.type === 'Property' && parent['key'] === node)) return [];
    const weaker = WEAKER[value] ?? readInsteadOf(value);
    return weaker ? [replaced(node, `'${weaker}'`)] : [];
  },
  'drop a call': (source, { node }) => {
    if (node.type !== 'ExpressionStatement' || !isNode(node['expression'])) return [];
    const inner = node['expression'].type === 'AwaitExpression' ? node['expression']['argument'] : node['expression'];
    if (!isNode(inner) || inner.type !== 'CallExpression' || IDLE_CALL.test(textOf(source, inner['callee']))) return [];
    return [replaced(node, ';')];
  },
  'return nothing': (_source, { node }) => {
    const argument = node.type === 'ReturnStatement' ? node['argument'] : undefined;
    const isNothing = isNode(argument) && (argument['name'] === 'undefined' || argument['operator'] === 'void');
    return isNode(argument) && !isNothing ? [replaced(argument, 'undefined')] : [];
  },
  'return early': (source, { node, around: [parent, owner] }) => {
    const isFunction = parent !== undefined && /Function/.test(parent.type) && owner?.['kind'] !== 'constructor';
    const isBody = node.type === 'BlockStatement' && isFunction && parent['body'] === node;
    if (!isBody || membersOf(node['body']).length === 0 || /\breturn [^;]/.test(textOf(source, node))) return [];
    return [{ start: node.start + 1, end: node.start + 1, text: ' return;' }];
  },
  'be off by one': (source, { node, around: [parent] }) => {
    const value = node.type === 'Literal' ? node['value'] : undefined;
    if (typeof value !== 'number' || value > 100 || !Number.isInteger(value)) return [];
    const named = parent?.type === 'Property' ? keyOf(source, parent) : textOf(source, parent?.['id']);
    return HINT.test(named) ? [] : [replaced(node, String(value + 1))];
  },
  'show a secret': (source, { node }) => {
    if (node.type !== 'CallExpression') return [];
    const name = textOf(source, node['callee']).replace(/^.*\./s, '');
    if (name === 'mayReadSecrets') return [replaced(node, 'true')];
    const [shown] = membersOf(node['arguments']);
    return shown && HIDING.test(name) ? [replaced(node, textOf(source, shown))] : [];
  },
  'drop a where': (source, { node }) => {
    const callee = node.type === 'CallExpression' ? node['callee'] : undefined;
    if (!isNode(callee) || !/^(?:where|having)(?:Ref)?$/.test(textOf(source, callee['property']))) return [];
    return [replaced(node, textOf(source, callee['object']))];
  },
} satisfies Record<string, Operator>;

export const operators = { ...syntaxOperators, ...textOperators } satisfies Record<string, Operator>;
export type OperatorName = keyof typeof operators;

export function applied(source: string, { start, end, text }: Edit): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Reading is the next weaker permission than writing; nothing is weaker than reading, so that becomes public. */
function readInsteadOf(value: string): string | undefined {
  if (/^[a-z_]+:write$/.test(value)) return value.replace(/write$/, 'read');
  return /^[a-z_]+:read$/.test(value) ? 'public' : undefined;
}

function replaced({ start, end }: SyntaxNode, text: string): Edit {
  return { start, end, text };
}

/** The operator of an expression with two sides, and not one in a comment between them. */
function betweenSides(source: string, node: SyntaxNode, text: string): Edit {
  const [left, right] = [node['left'] as SyntaxNode, node['right'] as SyntaxNode];
  const start = source.slice(0, right.start).lastIndexOf(String(node['operator']));
  const end = start + String(node['operator']).length;
  return start < left.end ? { start: left.end, end: right.start, text: ` ${text} ` } : { start, end, text };
}

/** A member of a list, with the comma that follows it. */
function dropped(source: string, member: SyntaxNode): Edit {
  const comma = /^\s*,\s*/.exec(source.slice(member.end))?.[0] ?? '';
  return { start: member.start, end: member.end + comma.length, text: '' };
}

function membersOf(list: unknown): readonly SyntaxNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}
