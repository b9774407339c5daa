// Turns a page of docs/ into HTML, and into the parts that the search finds.
import { dirname, join } from 'node:path';
import MarkdownIt from 'markdown-it';

/** Drawings stay text: the site loads no program that draws them. The search leaves them out. */
const DRAWING = 'mermaid';

/**
 * @typedef {{ id: string, title: string, level: number, text: string }} Part a heading with the text below it
 * @param {string} text Markdown
 * @param {string} source its path in the repository
 * @param {ReadonlyMap<string, string>} slugs addresses of all pages by their path in the repository
 * @returns {{ html: string, parts: Part[] }}
 */
export function renderPage(text, source, slugs) {
  const markdown = new MarkdownIt({ html: true, linkify: false });
  const tokens = markdown.parse(text.replaceAll(/<!--.*?-->\n*/gs, ''), {});
  const parts = nameHeadings(tokens);
  for (const token of tokens) {
    if (token.type === 'inline') rewriteLinks(token.children, source, slugs);
    alignByClass(token);
  }
  markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  markdown.renderer.rules.fence = (list, index) => {
    const { info, content } = list[index];
    const escaped = markdown.utils.escapeHtml(content);
    const code = `<div class="code"><pre tabindex="0"><code data-language="${info.split(' ')[0]}">${escaped}</code></pre></div>\n`;
    return info === DRAWING ? `<details open><summary>Drawing, as Mermaid text</summary>${code}</details>\n` : code;
  };
  return { html: markdown.renderer.render(tokens, markdown.options, {}), parts };
}

/** Gives every heading the id that it has on the usual hosts of repositories, and collects the text below each. */
function nameHeadings(tokens) {
  const taken = new Map();
  const parts = [];
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1];
    if (token.type === 'heading_open') {
      const title = plainText(content.children);
      const id = uniqueId(taken, title);
      token.attrSet('id', id);
      parts.push({ id, title, level: Number(token.tag.slice(1)), text: '' });
      content.children.push(permalink(content, id));
    } else if (parts.length > 0 && tokens[index - 1]?.type !== 'heading_open') {
      const isCode = token.type === 'fence' && token.info !== DRAWING;
      const text = token.type === 'inline' ? plainText(token.children) : isCode ? token.content : '';
      if (text) parts.at(-1).text += `${text}\n`;
    }
  }
  return parts;
}

function uniqueId(taken, title) {
  const base = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const times = taken.get(base) ?? 0;
  taken.set(base, times + 1);
  return times === 0 ? base : `${base}-${times}`;
}

function permalink({ children }, id) {
  const token = new children[0].constructor('html_inline', '', 0);
  token.content = ` <a class="permalink" href="#${id}" aria-label="Link to this section">#</a>`;
  return token;
}

function plainText(children) {
  return children
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : type === 'html_inline' ? '' : content))
    .join('');
}

/** Links between pages become their addresses; what the site does not have becomes plain text. */
function rewriteLinks(children, source, slugs) {
  let dropped = 0;
  for (const token of children) {
    if (token.type === 'link_close' && dropped > 0) {
      dropped -= 1;
      token.type = 'text';
      token.tag = '';
      token.nesting = 0;
      continue;
    }
    if (token.type !== 'link_open') continue;
    const target = token.attrGet('href');
    if (/^(https?:|#)/.test(target)) continue;
    const [path, fragment] = target.split('#');
    const slug = slugs.get(join(dirname(source), path));
    if (slug !== undefined) {
      token.attrSet('href', slug + (fragment === undefined ? '' : `#${fragment}`));
      continue;
    }
    dropped += 1;
    token.type = 'text';
    token.tag = '';
    token.nesting = 0;
  }
}

/** The content policy of the pages allows no style in an element. */
function alignByClass(token) {
  const align = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1];
  if (align === undefined) return;
  token.attrs = token.attrs.filter(([name]) => name !== 'style');
  token.attrJoin('class', align);
}
