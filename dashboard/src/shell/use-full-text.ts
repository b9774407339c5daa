/** Shows text that is cut off in full while the pointer is on it. */
import { useEffect } from 'react';

/** Marks the titles that were set here. Titles of the pages themselves stay unchanged. */
const MARK = 'data-full-text';

export function useFullText(): void {
  useEffect(() => {
    addEventListener('pointerover', nameWhatIsCut);
    return () => removeEventListener('pointerover', nameWhatIsCut);
  }, []);
}

function nameWhatIsCut({ target }: Event): void {
  if (!(target instanceof Element)) return;
  const cut = target.closest<HTMLElement>(`.truncate, .sm\\:truncate, [${MARK}]`);
  if (!cut) return;
  if (cut.scrollWidth <= cut.clientWidth) forget(cut);
  else if (cut.hasAttribute(MARK) || !hasTitle(cut)) {
    cut.setAttribute(MARK, '');
    cut.title = cut.textContent.trim();
  }
}

function forget(element: HTMLElement): void {
  if (!element.hasAttribute(MARK)) return;
  element.removeAttribute(MARK);
  element.removeAttribute('title');
}

/** A title inside covers the text, and a title around it already says more. */
function hasTitle(element: HTMLElement): boolean {
  return element.closest('[title]') !== null || element.querySelector('[title]') !== null;
}
