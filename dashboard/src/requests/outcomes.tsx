/** The outcomes of requests, in the colours of states. A denial is the work of the policy, and no failure. */
import type { components } from '../api/platform.gen.ts';
import type { Interval, Series } from '../components/chart/histogram.tsx';
import { StateLabel } from '../design/state-mark.tsx';
import { type StateKind, tokenOf } from '../design/states.ts';

type Outcome = components['schemas']['RequestOutcome'];

const looks: Readonly<Record<Outcome, { readonly kind: StateKind; readonly title: string }>> = {
  failed: { kind: 'FAILED', title: 'Failed' },
  invalid: { kind: 'CRASHED', title: 'Invalid' },
  denied: { kind: 'PAUSED', title: 'Denied' },
  ok: { kind: 'COMPLETED', title: 'OK' },
};

export function OutcomeLabel({ outcome }: { readonly outcome: Outcome }) {
  const { kind, title } = looks[outcome];
  return <StateLabel kind={kind} name={title} />;
}

export function outcomeTitle(outcome: Outcome): string {
  return looks[outcome].title;
}

/** The worst outcome first, at the bottom of a bar. */
export const outcomeSeries: readonly Series[] = (Object.keys(looks) as Outcome[]).map((key) => ({
  key,
  title: looks[key].title,
  fill: `var(--${tokenOf(looks[key].kind)})`,
  text: `var(--${tokenOf(looks[key].kind)}-text)`,
}));

export function requestIntervals(
  buckets: readonly components['schemas']['RequestHistogramBucket'][] | undefined,
): readonly Interval[] {
  return (buckets ?? []).map(({ start, ok, denied, invalid, failed }) => ({
    start,
    counts: { ok, denied, invalid, failed },
  }));
}

type Told = Pick<components['schemas']['ServerRequest'], 'outcome' | 'failure' | 'reason' | 'status'>;

/** The failure of a request in a line, or the rule or role that denied it. */
export function whyText({ outcome, failure, reason, status }: Told): string {
  if (outcome === 'ok') return '';
  if (outcome === 'denied' || !failure) return outcome === 'failed' ? `status ${status}` : reasonText(reason);
  return failure.reason;
}

/** Replaces the id of a rule in the gateway's reason, which means nothing to people. */
export function reasonText(reason: string): string {
  return /^rule [0-9a-f-]{36}$/.test(reason) ? 'a rule of the policy' : reason;
}
