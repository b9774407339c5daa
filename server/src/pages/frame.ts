/**
 * The frame around the content of every page for people, in the design of the dashboard (`dashboard/DESIGN.md`). It
 * loads only the font: the style is inline, and the icon is a data URL. A `.choice` accepts clicks only when the
 * pointer has been on the card for half a second: in a double click on the window of another site that closes at the
 * first click, the second hits whatever is behind it.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { DASHBOARD_FOLDER } from '../folders.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { Html, html } from './html.ts';

const MOST_STYLES = 20;
const ASSETS = new URL('assets/', DASHBOARD_FOLDER);
/** The dashboard's font, under the file name from its build; undefined if the dashboard is not built. */
const fontFile = existsSync(ASSETS)
  ? readdirSync(ASSETS).find((name) => /^inter-latin-wght-normal-[\w-]+\.woff2$/.test(name))
  : undefined;

const fontFace = (address: string) =>
  `@font-face { font-family: "Inter"; font-weight: 100 900; font-display: swap; src: url("${address}") format("woff2-variations"); }`;

const STYLE = `
:root {
  color-scheme: light dark;
  --surface: #ffffff;
  --canvas: #f8fafb;
  --hover: #eff3f4;
  --line: #dbe1e2;
  --control: #7e888a;
  --quiet: #5a6668;
  --soft: #454f51;
  --ink: #192122;
  --on-ink: #ffffff;
  --accent: #12676b;
  --bad: #cc1f2e;
  --bad-mark: #d02532;
  --good-mark: #09936b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --surface: #161a1b;
    --canvas: #0e1213;
    --hover: #1d2324;
    --line: #2b3233;
    --control: #6d787a;
    --quiet: #95a1a3;
    --soft: #b5c0c2;
    --ink: #e8eeef;
    --on-ink: #101315;
    --accent: #72d0d0;
    --bad: #ff5758;
    --bad-mark: #f51f36;
    --good-mark: #76c890;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  align-items: center;
  gap: 16px;
  padding: max(16px, 14vh) 16px 48px;
  background: var(--canvas);
  color: var(--ink);
  font: 0.875rem/1.25rem "Inter", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  font-feature-settings: "cv05", "ss03";
  -webkit-font-smoothing: antialiased;
}
header { width: 100%; max-width: 23rem; display: flex; align-items: center; gap: 8px; font-weight: 600; letter-spacing: -0.01em; }
main { width: 100%; max-width: 23rem; padding: 24px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
h1 { margin: 0 0 6px; font-size: 1.25rem; line-height: 1.75rem; font-weight: 600; letter-spacing: -0.015em; overflow-wrap: anywhere; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
p:last-child, form:last-child { margin-bottom: 0; }
.quiet { color: var(--quiet); }
.small { font-size: 0.75rem; line-height: 1rem; }
a { color: var(--accent); }
strong { font-weight: 600; }
code { font: 0.8125rem/1.25rem ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
form { display: grid; gap: 16px; margin: 16px 0; }
.field { display: grid; gap: 4px; }
label { font-size: 0.8125rem; font-weight: 500; }
input {
  width: 100%;
  min-height: 36px;
  padding: 6px 10px;
  font: inherit;
  color: var(--ink);
  background: var(--surface);
  border: 1px solid var(--control);
  border-radius: 4px;
}
input[aria-invalid="true"] { border-color: var(--bad-mark); }
input.code { font: 1.25rem/1.75rem ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; letter-spacing: 0.1em; text-transform: uppercase; }
.hint, .problem { font-size: 0.75rem; line-height: 1rem; }
.hint { color: var(--quiet); }
.problem { color: var(--bad); }
button, a.button {
  display: block;
  width: 100%;
  min-height: 36px;
  padding: 7px 12px;
  font: inherit;
  font-weight: 500;
  text-align: center;
  text-decoration: none;
  color: var(--on-ink);
  background: var(--ink);
  border: 1px solid var(--ink);
  border-radius: 4px;
  cursor: pointer;
}
button:hover, a.button:hover { background: var(--soft); border-color: var(--soft); }
button.plain, a.button.plain { color: var(--ink); background: var(--surface); border-color: var(--line); }
button.plain:hover, a.button.plain:hover { background: var(--hover); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
@media (pointer: coarse) { input, button, a.button { min-height: 44px; } }
.choice { position: relative; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }
@media (hover: hover) {
  .choice::after { content: ""; position: absolute; inset: 0; }
  main:hover .choice::after { visibility: hidden; transition: visibility 0s 0.5s; }
}
.or { display: flex; align-items: center; gap: 12px; margin: 16px 0; color: var(--quiet); font-size: 0.75rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.notice { margin: 12px 0; padding: 2px 0 2px 12px; border-left: 2px solid; overflow-wrap: anywhere; }
.notice.bad { color: var(--bad); border-color: var(--bad-mark); }
.notice.good { border-color: var(--good-mark); }
.user-code { margin: 16px 0; padding: 12px; text-align: center; background: var(--canvas); border: 1px solid var(--line); border-radius: 6px; font: 600 1.75rem/2rem ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; letter-spacing: 0.08em; }
pre { margin: 0 0 16px; padding: 8px 12px; overflow-x: auto; background: var(--canvas); border: 1px solid var(--line); border-radius: 6px; font: 0.75rem/1.125rem ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; user-select: all; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 16px 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
footer { width: 100%; max-width: 23rem; color: var(--quiet); font-size: 0.75rem; overflow-wrap: anywhere; }
footer form { display: inline; margin: 0; }
footer button { display: inline; width: auto; min-height: 0; padding: 0; border: 0; background: none; font-weight: 400; text-decoration: underline; color: var(--accent); }
footer button:hover { background: none; color: var(--ink); }
`;

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%23192122'/%3E%3Cpath d='M9 25V12M9 12l14-5' stroke='%23fff' stroke-width='3' stroke-linecap='round'/%3E%3Ccircle cx='9' cy='12' r='4' fill='%2372d0d0'/%3E%3C/svg%3E";

/** The hash by which a content policy names inline content. */
export function digestOf(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

interface Style {
  readonly text: string;
  readonly digest: string;
}

const styles = new BoundedMap<string, Style>({ name: 'styles', most: MOST_STYLES });

/** `prefix` is the path below which a proxy serves this server. A style inside a page does not use its `<base>`. */
export function styleBelow(prefix: string): Style {
  return styles.getOrMake(prefix, () => {
    const text = fontFile === undefined ? STYLE : fontFace(`${prefix}/assets/${fontFile}`) + STYLE;
    return { text, digest: digestOf(text) };
  });
}

export interface Frame {
  readonly title: string;
  readonly content: Html;
  /** Content below the card, for example the signed-in person. */
  readonly footer?: Html | undefined;
  /** Trusted text, never made from input. */
  readonly script?: string | undefined;
}

export function framed({ title, content, footer, script }: Frame, prefix: string): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Signalbox</title>
    <link rel="icon" href="${ICON}">
    <style>${new Html(styleBelow(prefix).text)}</style>
  </head>
  <body>
    <header>
      <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#192122" stroke="#5a6668" />
        <path d="M9 25V12M9 12l14-5" stroke="#fff" stroke-width="3" stroke-linecap="round" />
        <circle cx="9" cy="12" r="4" fill="#72d0d0" />
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
