/** Parses Markdown to a tree of elements. HTML in it is text. */
import type { Nodes, Root } from 'hast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';

/** Number of elements and texts that a browser can draw at once. */
const MOST_NODES = 5000;
const MOST_DEPTH = 40;

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true });

/**
 * Undefined if the tree is too large for a page. Some texts take minutes to parse, so it runs in a worker that can be
 * ended.
 */
export function treeOf(text: string): Root | undefined {
  const tree = processor.runSync(processor.parse(text)) as Root;
  let left = MOST_NODES;
  const isBounded = (node: Nodes, depth: number): boolean => {
    left -= 1;
    if (left < 0 || depth > MOST_DEPTH) return false;
    if (!('children' in node)) return true;
    node.children = node.children.map((child) =>
      child.type === 'raw' ? { type: 'text', value: child.value } : child,
    ) as typeof node.children;
    return node.children.every((child) => isBounded(child, depth + 1));
  };
  return isBounded(tree, 0) ? tree : undefined;
}
