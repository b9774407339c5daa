/** Measures what loading a page costs its reader: how far its parts move, and what it asks of the server. */
import { expect, type Page } from '@playwright/test';

export interface PageCost {
  /** The sum of layout shifts, as Chromium reports them. */
  readonly shift: number;
  /** The parts that moved, with their own share and the way they went. */
  readonly moved: readonly string[];
  /** Requests to the API, without the stream of changes. */
  readonly calls: number;
  /** On the wire, of all that was loaded. */
  readonly bytes: number;
}

/** Measures each page that is loaded from now on. The result says what the page has cost since it began to load. */
export async function measurePages(page: Page): Promise<() => Promise<PageCost>> {
  const session = await page.context().newCDPSession(page);
  const waiting = new Map<string, string>();
  let calls = 0;
  let bytes = 0;
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    const { pathname } = new URL(request.url);
    if (type === 'Document') [calls, bytes] = [0, 0];
    if (type === 'Document') waiting.clear();
    if (pathname.endsWith('/views/live')) return;
    // The script of a worker ends in a session of its own.
    if (!pathname.includes('-worker-')) waiting.set(requestId, pathname);
    if (/\/api\//.test(pathname)) calls += 1;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    waiting.delete(requestId);
    bytes += encodedDataLength;
  });
  session.on('Network.loadingFailed', ({ requestId }) => waiting.delete(requestId));
  await page.addInitScript(watchShifts);
  return async () => {
    await expect.poll(() => [...waiting.values()], { message: 'what the server has not answered' }).toEqual([]);
    await page.evaluate(async () => {
      await document.fonts.ready;
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    });
    return { ...(await page.evaluate(readShifts)), calls, bytes };
  };
}

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRect;
    readonly currentRect: DOMRect;
  }[];
}

/** Runs in the page, before its own scripts. */
function watchShifts(): void {
  const shifts: { value: number; moved: string[] }[] = [];
  Object.assign(window, { shifts });
  const nameOf = (node: Node | null) => {
    const element = node instanceof Element ? node : node?.parentElement;
    return element ? `${element.tagName.toLowerCase()} “${element.textContent?.trim().slice(0, 30)}”` : 'a part';
  };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      const moved = sources.map(
        ({ node, previousRect, currentRect }) =>
          `${value.toFixed(3)} ${nameOf(node)} from ${Math.round(previousRect.x)} ${Math.round(previousRect.y)} to ${Math.round(currentRect.x)} ${Math.round(currentRect.y)}`,
      );
      shifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Runs in the page. */
function readShifts(): Pick<PageCost, 'shift' | 'moved'> {
  const { shifts } = window as unknown as { shifts: { value: number; moved: string[] }[] };
  return { shift: shifts.reduce((sum, { value }) => sum + value, 0), moved: shifts.flatMap(({ moved }) => moved) };
}
