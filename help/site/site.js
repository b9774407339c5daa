/** What a page of the documentation does: search, buttons that copy code, and pages that fold on a narrow screen. */
import MiniSearch from 'minisearch';
import { searchOptions } from '../../scripts/help/search-options.mjs';

const MOST_RESULTS = 12;

const box = document.querySelector('.search');
const input = box.querySelector('input');
const list = box.querySelector('#results');
const told = box.querySelector('.told');
let index;
let chosen = -1;

/** The index is loaded when the search is used for the first time. A failed load is tried again at the next letter. */
function loadIndex() {
  index ??= fetch(box.dataset.index)
    .then((answer) => (answer.ok ? answer.text() : Promise.reject(new Error(String(answer.status)))))
    .then((text) => MiniSearch.loadJSON(text, searchOptions))
    .catch((error) => {
      index = undefined;
      throw error;
    });
  return index;
}

async function showResults() {
  const words = input.value.trim();
  if (words === '') return close();
  let search;
  try {
    search = await loadIndex();
  } catch {
    close();
    told.textContent = 'The search could not be loaded.';
    return;
  }
  if (words !== input.value.trim()) return;
  const found = search.search(words).slice(0, MOST_RESULTS);
  chosen = -1;
  list.replaceChildren(...found.map(resultOf));
  if (found.length === 0) list.append(element('p', 'none', `Nothing found for “${words}”.`));
  list.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  input.removeAttribute('aria-activedescendant');
  told.textContent = `${found.length === 0 ? 'No' : found.length} results`;
}

function resultOf({ id, title, page, excerpt }, position) {
  const link = element('a');
  link.href = id;
  link.id = `result-${position}`;
  link.setAttribute('role', 'option');
  link.setAttribute('aria-selected', 'false');
  link.tabIndex = -1;
  link.append(element('strong', '', title), element('span', 'page', page), element('span', 'excerpt', excerpt));
  link.addEventListener('click', close);
  return link;
}

function element(tag, className = '', text = '') {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function close() {
  list.hidden = true;
  told.textContent = '';
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
}

function choose(position) {
  const options = [...list.querySelectorAll('a')];
  if (options.length === 0) return;
  chosen = (position + options.length) % options.length;
  for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === chosen));
  input.setAttribute('aria-activedescendant', options[chosen].id);
  options[chosen].scrollIntoView({ block: 'nearest' });
}

input.addEventListener('focus', () => loadIndex().catch(() => undefined));
input.addEventListener('input', showResults);
input.addEventListener('keydown', (event) => {
  const isOpen = !list.hidden;
  if (event.key === 'Escape') close();
  else if (isOpen && event.key === 'ArrowDown') choose(chosen + 1);
  else if (isOpen && event.key === 'ArrowUp') choose(chosen === -1 ? -1 : chosen - 1);
  else if (isOpen && event.key === 'Enter') list.querySelectorAll('a')[Math.max(chosen, 0)]?.click();
  else return;
  if (event.key !== 'Escape') event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
  if (event.key !== '/' || isTyping) return;
  event.preventDefault();
  input.focus();
});
box.hidden = false;

for (const block of document.querySelectorAll('.code')) {
  const button = element('button', '', 'Copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      // Without https a browser has no clipboard: the text is selected instead.
      getSelection()?.selectAllChildren(block.querySelector('code'));
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.append(button);
}

const chapters = document.querySelector('.chapters');
const wide = matchMedia('(min-width: 60rem)');
const unfold = () => {
  chapters.open = wide.matches;
};
unfold();
chapters.dataset.ready = '';
wide.addEventListener('change', unfold);
