/**
 * The content of the sample: a small shop, with runs in every state that a run can have. Times are seconds before or
 * after the moment at which the sample is loaded.
 */
import type { StateType } from '../../filters/field-schema.ts';

export interface SampleStep {
  readonly at: number;
  readonly type: StateType;
  readonly name?: string;
  readonly message?: string;
  /** When a scheduled state is due. */
  readonly due?: number;
}

export interface SampleTask {
  readonly name: string;
  readonly steps: readonly SampleStep[];
  /** The run of the subflow that this task run stands for. */
  readonly child?: SampleRun;
}

interface SampleLog {
  readonly at: number;
  /** The levels of Python: 20 is INFO, 30 WARNING, 40 ERROR. */
  readonly level: 20 | 30 | 40;
  readonly message: string;
  /** The position of the task that wrote it. */
  readonly task?: number;
}

export type SampleFlow = 'orders' | 'report' | 'currency';

export interface SampleRun {
  readonly flow: SampleFlow;
  readonly name: string;
  readonly steps: readonly SampleStep[];
  readonly tasks?: readonly SampleTask[];
  readonly logs?: readonly SampleLog[];
}

export const sampleFlows: Readonly<Record<SampleFlow, string>> = {
  orders: 'sample-orders',
  report: 'sample-report',
  currency: 'sample-currency',
};

/** They are paused, and so is their pool: nothing of the sample ever starts by a schedule. */
export const sampleDeployments = [
  { flow: 'orders', name: 'nightly', cron: '0 2 * * *', entrypoint: 'orders.py:orders', parameters: { region: 'eu' } },
  { flow: 'report', name: 'weekly', cron: '0 6 * * 1', entrypoint: 'report.py:report', parameters: {} },
] as const satisfies readonly { readonly flow: SampleFlow; readonly [field: string]: unknown }[];

export const samplePool = 'sample-pool';
export const sampleAutomation = 'Sample: a flow run failed';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

const TRACEBACK = `Encountered an exception:
Traceback (most recent call last):
  File "/app/shop/orders.py", line 42, in load_prices
    price = row["price"]
            ~~~^^^^^^^^^
KeyError: 'price'`;

const RATE_TRACEBACK = `Encountered an exception:
Traceback (most recent call last):
  File "/app/shop/currency.py", line 17, in fetch_rates
    raise ValueError(f"no rate for {code}")
ValueError: no rate for XAU`;

const ended = (type: StateType, message?: string, name?: string) => ({
  type,
  ...(message && { message }),
  ...(name && { name }),
});

/** Scheduled, pending and running, and then the given end. */
function ran(start: number, seconds: number, end: Omit<SampleStep, 'at'>): SampleStep[] {
  return [
    { at: start - 20, type: 'SCHEDULED', due: start - 3 },
    { at: start - 2, type: 'PENDING' },
    { at: start, type: 'RUNNING' },
    { ...end, at: start + seconds },
  ];
}

function task(
  name: string,
  start: number,
  seconds: number,
  end: Omit<SampleStep, 'at'> = ended('COMPLETED'),
): SampleTask {
  return {
    name,
    steps: [
      { at: start, type: 'PENDING' },
      { at: start, type: 'RUNNING' },
      { ...end, at: start + seconds },
    ],
  };
}

function good(name: string, start: number): SampleRun {
  return {
    flow: 'orders',
    name,
    steps: ran(start, 48, ended('COMPLETED', 'All states completed.')),
    tasks: [
      task('fetch-orders-0', start + 1, 14),
      task('load-prices-0', start + 16, 9),
      task('store-0', start + 26, 20),
    ],
    logs: [
      { at: start, level: 20, message: 'Loading the orders of eu' },
      { at: start + 14, level: 20, message: 'Fetched 1,204 orders', task: 0 },
      { at: start + 46, level: 20, message: 'Stored 1,204 orders', task: 2 },
      { at: start + 48, level: 20, message: "Finished in state Completed('All states completed.')" },
    ],
  };
}

function failed(name: string, start: number): SampleRun {
  const message = "Flow run encountered an exception: KeyError: 'price'";
  return {
    flow: 'orders',
    name,
    steps: ran(start, 27, ended('FAILED', message)),
    tasks: [
      task('fetch-orders-0', start + 1, 15),
      task('load-prices-0', start + 17, 8, ended('FAILED', "Task run encountered an exception KeyError: 'price'")),
    ],
    logs: [
      { at: start, level: 20, message: 'Loading the orders of us' },
      { at: start + 16, level: 20, message: 'Fetched 318 orders', task: 0 },
      { at: start + 25, level: 40, message: TRACEBACK, task: 1 },
      { at: start + 27, level: 40, message: `Finished in state Failed("${message}")` },
    ],
  };
}

/** A run that failed in the task of a subflow. */
function failedBelow(name: string, start: number): SampleRun {
  const message = 'Flow run encountered an exception: ValueError: no rate for XAU';
  const child: SampleRun = {
    flow: 'currency',
    name: `${name}-currency`,
    steps: [
      { at: start + 4, type: 'PENDING' },
      { at: start + 5, type: 'RUNNING' },
      { at: start + 12, ...ended('FAILED', message) },
    ],
    tasks: [
      task(
        'fetch-rates-0',
        start + 6,
        5,
        ended('FAILED', 'Task run encountered an exception ValueError: no rate for XAU'),
      ),
    ],
    logs: [
      { at: start + 6, level: 20, message: 'Asking for 31 rates', task: 0 },
      { at: start + 11, level: 40, message: RATE_TRACEBACK, task: 0 },
    ],
  };
  return {
    flow: 'report',
    name,
    steps: ran(start, 14, ended('FAILED', message)),
    tasks: [
      task('collect-0', start + 1, 3),
      {
        name: 'sample-currency-0',
        steps: [
          { at: start + 4, type: 'PENDING' },
          { at: start + 5, type: 'RUNNING' },
          { at: start + 12, ...ended('FAILED', message) },
        ],
        child,
      },
    ],
    logs: [
      { at: start, level: 20, message: 'Writing the weekly report' },
      { at: start + 14, level: 40, message: `Finished in state Failed("${message}")` },
    ],
  };
}

const endedRuns: readonly SampleRun[] = [
  ...[3 * DAY, 2 * DAY, DAY, 9 * HOUR, 5 * HOUR, 2 * HOUR].map((ago, index) => good(`well-${index + 1}`, -ago)),
  failed('no-price-1', -DAY - HOUR),
  failed('no-price-2', -4 * HOUR),
  failedBelow('no-rate', -3 * HOUR),
  {
    flow: 'report',
    name: 'too-long',
    steps: ran(-8 * HOUR, 600, ended('FAILED', 'Flow run exceeded timeout of 600.0 second(s)', 'TimedOut')),
    logs: [{ at: -8 * HOUR + 600, level: 40, message: 'The report was not done within 600 seconds' }],
  },
  {
    flow: 'orders',
    name: 'out-of-memory',
    steps: ran(-6 * HOUR, 93, ended('CRASHED', 'Flow run process exited with non-zero status code -9.')),
    tasks: [task('fetch-orders-0', -6 * HOUR + 1, 90, ended('CRASHED', 'The process ended.'))],
    logs: [{ at: -6 * HOUR + 80, level: 30, message: 'Memory is nearly full: 7.8 of 8 GB', task: 0 }],
  },
  {
    flow: 'orders',
    name: 'stopped-by-hand',
    steps: [
      ...ran(-7 * HOUR, 40, ended('CANCELLING', 'Cancelled by hand')),
      { at: -7 * HOUR + 44, ...ended('CANCELLED', 'Cancelled by hand') },
    ],
  },
];

const openRuns: readonly SampleRun[] = [
  {
    flow: 'orders',
    name: 'under-way',
    steps: ran(-4 * MINUTE, 0, { type: 'RUNNING' }).slice(0, 3),
    tasks: [
      task('fetch-orders-0', -4 * MINUTE + 1, 90),
      { name: 'load-prices-0', steps: [{ at: -2 * MINUTE, type: 'RUNNING' }] },
    ],
    logs: [{ at: -2 * MINUTE, level: 20, message: 'Loading 1,311 prices', task: 1 }],
  },
  {
    flow: 'orders',
    name: 'second-attempt',
    steps: [
      ...ran(-30 * MINUTE, 60, ended('FAILED', 'Flow run encountered an exception: ConnectionError: the shop is away')),
      { at: -28 * MINUTE, type: 'SCHEDULED', name: 'AwaitingRetry', due: -5 * MINUTE },
      { at: -5 * MINUTE, type: 'RUNNING', name: 'Retrying' },
    ],
  },
  {
    flow: 'orders',
    name: 'tries-again-later',
    steps: [
      ...ran(-20 * MINUTE, 60, ended('FAILED', 'Flow run encountered an exception: ConnectionError: the shop is away')),
      { at: -18 * MINUTE, type: 'SCHEDULED', name: 'AwaitingRetry', due: DAY },
    ],
  },
  {
    flow: 'report',
    name: 'waits-for-a-person',
    steps: ran(-50 * MINUTE, 30, { type: 'PAUSED', message: 'Waits for the approval of the report' }),
  },
  {
    flow: 'report',
    name: 'suspended',
    steps: ran(-2 * DAY, 30, { type: 'PAUSED', name: 'Suspended' }),
  },
  {
    flow: 'orders',
    name: 'about-to-stop',
    steps: ran(-10 * MINUTE, 300, { type: 'CANCELLING', message: 'Cancelled by hand' }),
  },
  { flow: 'orders', name: 'about-to-start', steps: ran(-MINUTE, 0, { type: 'RUNNING' }).slice(0, 2) },
  {
    flow: 'orders',
    name: 'late',
    steps: [
      { at: -2 * HOUR, type: 'SCHEDULED', due: -HOUR },
      { at: -HOUR + 15, type: 'SCHEDULED', name: 'Late', due: -HOUR },
    ],
  },
  { flow: 'report', name: 'planned', steps: [{ at: -MINUTE, type: 'SCHEDULED', due: 5 * DAY }] },
];

export const sampleRuns: readonly SampleRun[] = [...endedRuns, ...openRuns];
