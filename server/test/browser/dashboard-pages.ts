/** The pages of the dashboard, the parts of the seed that each shows, and the checks that apply to all of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from './chromium.ts';
import type { Seed } from './seed.ts';

export interface DashboardPage {
  readonly name: string;
  readonly path: string;
  /** Texts that a reader sees. */
  readonly shows: readonly string[];
  /** Its object is not there: the browser notes the 404. */
  readonly isMissing?: boolean;
}

/** Before anything has run. */
export const emptyPages: readonly DashboardPage[] = [
  { name: 'home of an empty server', path: '/', shows: ['No flow has run here yet', 'PREFECT_API_URL='] },
  { name: 'runs of an empty server', path: '/runs', shows: ['No runs in this time'] },
  { name: 'an address without a page', path: '/nowhere', shows: ['Page not found'] },
];

export function dashboardPages(seeded: Seed): readonly DashboardPage[] {
  return [
    { name: 'home', path: '/', shows: ['Now', 'Next', 'seeded-flow'] },
    { name: 'runs', path: '/runs?span=7d', shows: ['seeded-run', 'seeded-flow', 'seeded-deployment'] },
    {
      name: 'runs of a flow',
      path: '/runs?span=7d&flow=seeded-flow&state=CRASHED',
      shows: ['No run matches these filters'],
    },
    { name: 'a flow run', path: `/runs/flow-run/${seeded.run}`, shows: ['seeded-run', 'Tasks', 'Logs'] },
    { name: 'parameters of a flow run', path: `/runs/flow-run/${seeded.run}?tab=parameters`, shows: ['x', '2'] },
    { name: 'states of a flow run', path: `/runs/flow-run/${seeded.run}?tab=states`, shows: ['Scheduled'] },
    { name: 'a flow run that waits', path: `/runs/flow-run/${seeded.scheduledRun}`, shows: ['scheduled to start at'] },
    {
      name: 'a flow run that is not there',
      path: '/runs/flow-run/3fa85f64-5717-4562-b3fc-2c963f66afa6',
      shows: ['There is nothing here', 'Flow run not found'],
      isMissing: true,
    },
  ];
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const SERIOUS = ['serious', 'critical'];
const SHOWN_WITHIN_MILLISECONDS = 8000;

export async function shows(page: Page, { shows: texts }: DashboardPage): Promise<void> {
  for (const text of texts) {
    const isShown = `document.body.innerText.includes(${JSON.stringify(text)})`;
    await page.until(isShown, SHOWN_WITHIN_MILLISECONDS).catch(async () => {
      const read = await page.evaluate<string>('document.body.innerText');
      assert.fail(`"${text}" is not shown, but this is: ${read.replaceAll(/\s+/g, ' ').slice(0, 1500)}`);
    });
  }
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Nothing that shuts people out: contrast, names, roles, order. Source: WCAG 2.2 AA, as axe-core checks it. */
export async function isAccessible(page: Page): Promise<void> {
  await page.evaluate(`typeof axe === 'undefined' ? (0, eval)(${JSON.stringify(AXE)}) && 0 : 0`);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => ({ html: html.slice(0, 200), failureSummary })) })))`,
  );
  assert.deepEqual(
    violations.filter(({ impact }) => SERIOUS.includes(impact)),
    [],
  );
}
