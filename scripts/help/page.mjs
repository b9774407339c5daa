// The frame of a page of the documentation. The content policy of the server allows no script or style inside it.

const MARK = `<svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#192122" stroke="#5a6668"/><path d="M9 25V12M9 12l14-5" stroke="#fff" stroke-width="3" stroke-linecap="round"/><circle cx="9" cy="12" r="4" fill="#72d0d0"/></svg>`;

/** @returns {string} the whole page */
export function pageHtml({ page, pages, chapters, assets }) {
  const isHome = page === pages[0];
  const at = pages.indexOf(page);
  const outline = page.parts.filter(({ level }) => level === 2);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(isHome ? 'Signalbox documentation' : `${page.title} · Signalbox documentation`)}</title>
    <link rel="icon" href="${assets.icon}" type="image/svg+xml">
    <link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin>
    <link rel="stylesheet" href="${assets.style}">
    <script src="${assets.script}" defer></script>
  </head>
  <body>
    <a class="skip" href="#content">To the content</a>
    <header>
      <a class="brand" href="./">${MARK} Signalbox <span>documentation</span></a>
      <div class="search" data-index="${assets.index}" hidden>
        <input type="search" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list" aria-label="Search the documentation" placeholder="Search" autocomplete="off" maxlength="100" spellcheck="false">
        <kbd aria-hidden="true">/</kbd>
        <div id="results" role="listbox" aria-label="Results" hidden></div>
        <p class="told" role="status"></p>
      </div>
      <a class="out" href="../">Dashboard</a>
    </header>
    <div class="columns">
      <details class="chapters" open>
        <summary>Pages</summary>
        <nav aria-label="Pages">${chapters.map((chapter) => chapterHtml(chapter, page)).join('')}</nav>
      </details>
      <main id="content">
        <article>
${page.html}
        </article>
        ${isHome ? '' : `<footer>${stepHtml('Previous', pages[at - 1])}${stepHtml('Next', pages[at + 1])}</footer>`}
      </main>
      ${outline.length > 1 && !isHome ? `<nav class="outline" aria-label="On this page"><p>On this page</p>${outlineHtml(outline)}</nav>` : ''}
    </div>
  </body>
</html>
`;
}

function chapterHtml({ title, entries }, page) {
  const items = entries
    .filter(({ parent }) => isOpen(parent, page))
    .map((entry) => {
      const current = entry.slug === page.slug ? ' aria-current="page"' : '';
      const below = entry.parent === undefined ? '' : ' class="below"';
      return `<li${below}><a href="${entry.slug}"${current}>${escaped(entry.title)}</a></li>`;
    });
  return `<p>${escaped(title)}</p><ul>${items.join('')}</ul>`;
}

/** The pages of a folder are listed where one of them is shown. */
function isOpen(parent, page) {
  return parent === undefined || parent === page.slug || parent === page.parent;
}

function outlineHtml(parts) {
  return `<ul>${parts.map(({ id, title }) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('')}</ul>`;
}

function stepHtml(word, page) {
  return page === undefined ? '' : `<a href="${page.slug}"><small>${word}</small> ${escaped(page.title)}</a>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
