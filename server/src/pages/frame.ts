/** The frame around the content of every page for people. It loads nothing: the style is inside, the icon is data. */
import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9;
  --card: #ffffff;
  --line: #d5dae1;
  --edge: #838d99;
  --text: #1b2430;
  --quiet: #55606e;
  --link: #0b5cad;
  --action: #0b5cad;
  --action-over: #094a8c;
  --on-action: #ffffff;
  --code: #eef1f5;
  --bad: #b3261e;
  --bad-back: #fdecea;
  --good: #1b6b3a;
  --good-back: #e7f4ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d;
    --card: #1a2129;
    --line: #34404d;
    --edge: #75818f;
    --text: #e8ecf1;
    --quiet: #a9b4c0;
    --link: #7db8f5;
    --action: #7db8f5;
    --action-over: #a3cdf8;
    --on-action: #10151b;
    --code: #10151b;
    --bad: #ffb4ab;
    --bad-back: #3b1d1b;
    --good: #8fd6a8;
    --good-back: #16301f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  align-items: center;
  justify-content: center;
  gap: 1.25rem;
  padding: 1.5rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header { display: flex; align-items: center; gap: 0.6rem; font-size: 1.125rem; font-weight: 650; }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
p:last-child, form:last-child { margin-bottom: 0; }
.quiet { color: var(--quiet); }
.small { font-size: 0.875rem; }
a { color: var(--link); }
form { display: grid; gap: 1rem; margin: 1.25rem 0; }
.field { display: grid; gap: 0.3rem; }
label { font-weight: 600; font-size: 0.9375rem; }
input {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: var(--text);
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: 8px;
}
input[aria-invalid="true"] { border-color: var(--bad); }
input.code { font: 1.25rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: 0.1em; text-transform: uppercase; }
.hint { color: var(--quiet); font-size: 0.875rem; }
.problem { color: var(--bad); font-size: 0.875rem; }
button, a.button {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  padding: 0.6rem 1rem;
  font: inherit;
  font-weight: 600;
  line-height: 1.5;
  text-align: center;
  text-decoration: none;
  color: var(--on-action);
  background: var(--action);
  border: 1px solid var(--action);
  border-radius: 8px;
  cursor: pointer;
}
button:hover, a.button:hover { background: var(--action-over); border-color: var(--action-over); }
button.plain, a.button.plain { color: var(--text); background: transparent; border-color: var(--edge); }
button.plain:hover, a.button.plain:hover { background: var(--code); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.choice { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
.or { display: flex; align-items: center; gap: 0.75rem; margin: 1.25rem 0; color: var(--quiet); font-size: 0.875rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.notice { margin: 1rem 0; padding: 0.75rem 1rem; border-radius: 8px; border-left: 4px solid; overflow-wrap: anywhere; }
.notice.bad { color: var(--bad); background: var(--bad-back); }
.notice.good { color: var(--good); background: var(--good-back); }
.user-code { margin: 1rem 0; padding: 0.75rem; text-align: center; background: var(--code); border: 1px solid var(--line); border-radius: 8px; font: 600 1.75rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: 0.08em; }
pre { margin: 0 0 1rem; padding: 0.75rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: 8px; font: 0.875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; user-select: all; }
.list { margin: 1rem 0; padding: 0; list-style: none; }
.list li { display: grid; grid-template-columns: 1fr auto; gap: 0.15rem 1rem; align-items: center; padding: 0.75rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.list li form { grid-column: 2; grid-row: 1 / span 2; margin: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.35rem 1rem; margin: 1rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { color: var(--quiet); font-size: 0.875rem; text-align: center; overflow-wrap: anywhere; }
footer form { display: inline; }
footer button { display: inline; width: auto; min-height: 0; padding: 0; border: 0; background: none; font-weight: 400; text-decoration: underline; color: var(--link); }
footer button:hover { background: none; color: var(--text); }
`;

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%231b2430'/%3E%3Cpath d='M9 25V12M9 12l14-5' stroke='%23fff' stroke-width='3' stroke-linecap='round'/%3E%3Ccircle cx='9' cy='12' r='4' fill='%23e5484d'/%3E%3C/svg%3E";

/** The name of inline content in a content policy. */
export function digestOf(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

export const styleDigest = digestOf(STYLE);

export interface Frame {
  readonly title: string;
  readonly content: Html;
  /** Below the card, for example who is signed in. */
  readonly footer?: Html | undefined;
  /** Trusted text, never made from input. */
  readonly script?: string | undefined;
}

export function framed({ title, content, footer, script }: Frame): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Signalbox</title>
    <link rel="icon" href="${ICON}">
    <style>${new Html(STYLE)}</style>
  </head>
  <body>
    <header>
      <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#1b2430" stroke="#55606e" />
        <path d="M9 25V12M9 12l14-5" stroke="#fff" stroke-width="3" stroke-linecap="round" />
        <circle cx="9" cy="12" r="4" fill="#e5484d" />
      </svg>
      Signalbox
    </header>
    <main>${content}</main>
    ${footer && html`<footer>${footer}</footer>`}
    ${script === undefined ? undefined : new Html(`<script>${script}</script>`)}
  </body>
</html>
`.text;
}
