/** Renders the headers and the text of a page. Pages are never framed or cached, and load only a font. */
import { digestOf, type Frame, framed, styleBelow } from '../../pages/frame.ts';
import { pageHeaders } from './page-headers.ts';

interface RenderedPage extends Pick<Frame, 'title' | 'content' | 'footer'> {
  /** A script of the page, and the only other origin that it may call. */
  readonly script?: { readonly text: string; readonly mayCall: string } | undefined;
  /** The only other origin, or scheme, to which the answer to its form may redirect the browser. */
  readonly mayLeadTo?: string | undefined;
}

/** `prefix` is the path below which a proxy serves this server; the pages' own addresses begin with it. */
export function renderPage(page: RenderedPage, prefix: string): { headers: Record<string, string>; text: string } {
  const text = framed({ ...page, script: page.script?.text }, prefix);
  return {
    headers: {
      ...pageHeaders(contentSecurityPolicy(page, prefix)),
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
    },
    text: prefix === '' ? text : text.replaceAll(/ (href|action)="\//g, ` $1="${prefix}/`),
  };
}

function contentSecurityPolicy({ script, mayLeadTo }: RenderedPage, prefix: string): string {
  return [
    "default-src 'none'",
    `style-src ${styleBelow(prefix).digest}`,
    'img-src data:',
    "font-src 'self'",
    ...(script ? [`script-src ${digestOf(script.text)}`, `connect-src 'self' ${script.mayCall}`] : []),
    `form-action 'self'${mayLeadTo === undefined ? '' : ` ${mayLeadTo}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
