/** The frames that a page in Chromium draws, and its long tasks. */
// biome-ignore lint/correctness/noUndeclaredDependencies: the workspace of the dashboard has it.
import type { Page } from '@playwright/test';

export interface Frames {
  readonly count: number;
  /** Milliseconds between two frames. */
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
  /** Milliseconds of each task of more than 50 ms. */
  readonly longTasks: readonly number[];
}

/** Runs in the page: records the time between frames and the long tasks until it is stopped. */
const RECORD = `(() => {
  const recorder = { frames: [], longTasks: [], isOn: true };
  window.recorder = recorder;
  recorder.observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) recorder.longTasks.push(Math.round(duration));
  });
  recorder.observer.observe({ type: 'longtask' });
  let last = performance.now();
  const frame = (now) => {
    recorder.frames.push(now - last);
    last = now;
    if (recorder.isOn) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

/** Runs in the page: waits for the entries of the last tasks, which the browser delivers when it is idle. */
const STOP = `new Promise((done) => setTimeout(() => {
  const { recorder } = window;
  recorder.isOn = false;
  recorder.observer.disconnect();
  done({ frames: recorder.frames, longTasks: recorder.longTasks });
}, 100))`;

/** What the page drew while `act` ran. The page must allow code from strings (`bypassCSP`). */
export async function framesOf(page: Page, act: () => Promise<void>): Promise<Frames> {
  await page.evaluate(RECORD);
  await act();
  const { frames, longTasks } = await page.evaluate<{ frames: number[]; longTasks: number[] }>(STOP);
  const sorted = frames.slice(1).toSorted((left, right) => left - right);
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10;
  return { count: sorted.length, median: at(0.5), p95: at(0.95), longest: at(0.9999), longTasks };
}

export function textOfFrames({ count, median, p95, longest, longTasks }: Frames): string {
  return `${count} frames, median ${median} ms, p95 ${p95} ms, longest ${longest} ms, long tasks [${longTasks.join(', ')}]`;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** Microseconds on the processor: the time when other programs had it does not count. */
  readonly tdur?: number;
}

/** The most milliseconds on the processor that one task of a page's main thread took while `act` ran. */
export async function longestTaskOf(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser to trace.');
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isOfPage = ({ pid, tid }: TraceEvent) => threads.some((one) => one.pid === pid && one.tid === tid);
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && isOfPage(event));
  if (tasks.length === 0) throw new Error('The trace has no task of the page.');
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
}
