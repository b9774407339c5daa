/** Changes of the SQL and the HTML in template literals, which the syntax tree holds as plain text. */
import { type Edit, isNode, type Operator, type Place, textOf } from './syntax.ts';

const STATEMENT = /^\s*(?:create|alter|drop|select|insert|update|delete|with)\b/i;
const COMPARED = String.raw`[\w.]+ (?:=|<>|<=|>=|<|>|is not|is) [\w.']+`;
const OTHER: Readonly<Record<string, string>> = {
  asc: 'desc',
  desc: 'asc',
  and: 'or',
  or: 'and',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '<>',
};
const swapped = (found: string) => OTHER[found] ?? found;

export const textOperators = {
  // Indexes are read in both directions, so their order is left alone.
  'swap asc and desc': (source, place) => [
    ...inSql(source, place, /\b(?:asc|desc)\b(?![\s\S]*\bindex\b)(?<!\bindex\b[\s\S]*)/g, swapped),
    ...(/^['"](?:asc|desc)['"]$/.test(textOf(source, place.node))
      ? [{ ...place.node, text: textOf(source, place.node).includes('asc') ? "'desc'" : "'asc'" }]
      : []),
  ],
  'swap and and or': (source, place) =>
    inSql(source, place, /(?<=\s)(?:and|or)\b(?<!\b(?:between [^()]+ and|create or))/g, swapped),
  'drop a not': (source, place) => inSql(source, place, /\bnot (?=null\b|exists\b|in\b|\(|$)/g),
  'flip a comparison in SQL': (source, place) => inSql(source, place, /(?<=\w |^ ?)(?:<=|>=|<|>|=)(?= |$)/g, swapped),
  'drop a term of a where': (source, place) => [
    ...inSql(source, place, new RegExp(`(?<=\\bwhere )${COMPARED} and `, 'g')),
    ...inSql(source, place, new RegExp(`\\s+and ${COMPARED}(?= |\\)|$)`, 'g')),
  ],
  'drop a condition of an index': (source, place) =>
    inSql(source, place, /(?<=create (?:unique )?index .*) where .*$/g),
  'drop a column of an index': (source, place) =>
    inSql(source, place, /(?<=create (?:unique )?index [^(]*\([^)]*), \w+(?: asc| desc)?(?=\))/g),
  'drop a column': (source, place) =>
    inSql(source, place, /(?<=create table [\s\S]*\n)\s*(?!primary|foreign|unique|check)\w+ \{\w+\}[^,\n]*,\n/g),
  'drop a constraint': (source, place) => [
    ...inSql(source, place, /,\s*(?:foreign key|check|unique) .*/g),
    ...inSql(source, place, /\bunique (?=index)/g),
    ...inSql(source, place, / on delete (?:cascade|set null)/g),
  ],
  'drop a default': (source, place) => inSql(source, place, / default (?:'[^']*'|[\w.]+)/g),
  'drop an attribute': (source, place) =>
    inText(source, place, isHtml(source, place), /\s(?!(?:class|style|id|alt|title)\b)[a-z-]+="[^"$]*"(?=[\s>])/g),
  'drop a part of a page': (source, { node }) => {
    if (node.type !== 'TaggedTemplateExpression' || textOf(source, node['tag']) !== 'html') return [];
    const { quasis } = node['quasi'] as unknown as { quasis: readonly { start: number; end: number }[] };
    // Each text but the last ends with `${`, and each but the first begins with the bracket that closes it.
    return quasis.slice(1).map((next, index) => ({ start: quasis[index]!.end - 2, end: next.start + 1, text: '' }));
  },
} satisfies Record<string, Operator>;

/** In parts of templates with the tag `sql`, and in texts that begin as a statement. */
function inSql(source: string, place: Place, pattern: RegExp, change?: (found: string) => string): readonly Edit[] {
  const { node, around } = place;
  const isText = node.type === 'TemplateElement' || (node.type === 'Literal' && typeof node['value'] === 'string');
  if (!isText) return [];
  const whole = node.type === 'TemplateElement' ? around[0]! : node;
  const isStatement = STATEMENT.test(textOf(source, whole).slice(1));
  return inText(source, place, isStatement || textOf(source, around[1]?.['tag']).startsWith('sql'), pattern, change);
}

function isHtml(source: string, { node, around }: Place): boolean {
  return node.type === 'TemplateElement' && textOf(source, around[1]?.['tag']) === 'html';
}

function inText(
  source: string,
  { node }: Place,
  isMeant: boolean,
  pattern: RegExp,
  change: (found: string) => string = () => '',
): readonly Edit[] {
  if (!isMeant || !isNode(node)) return [];
  // Without the quotes, or what opens and closes an expression.
  const end = node.end - (node.type === 'TemplateElement' && !node['tail'] ? 2 : 1);
  return [...source.slice(node.start + 1, end).matchAll(pattern)].map(({ 0: found, index }) => {
    const start = node.start + 1 + index;
    return { start, end: start + found.length, text: change(found) };
  });
}
