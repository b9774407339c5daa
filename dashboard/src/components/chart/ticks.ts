import { preferences } from '../../preferences/preferences.ts';

/** Three days in milliseconds, from which `tickTime` shows days. */
const LONG_SPAN = 259_200_000;
const DAY = 86_400_000;

/** The times of about `most` marks on an axis that starts at `from`. */
export function ticksOf(from: number, span: number, most: number): number[] {
  const steps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];
  // Labels of a long span are days, so two marks on one day would look the same.
  const least = span > LONG_SPAN ? 86_400 : 1;
  const step = 1000 * (steps.find((seconds) => seconds >= least && span / (seconds * 1000) <= most) ?? 2_592_000);
  // Whole hours and days in the displayed zone.
  const shift = shiftAt(from);
  const ticks: number[] = [];
  for (let wall = Math.ceil((from - shift) / step) * step; ; wall += step) {
    // A day also begins at midnight after a clock change.
    const tick = wall + (step < DAY ? shift : shiftAt(wall + shift));
    if (tick >= from + span) return ticks;
    ticks.push(tick);
  }
}

/** Milliseconds by which the displayed zone is behind UTC at this time. */
function shiftAt(time: number): number {
  return preferences().zone === 'utc' ? 0 : new Date(time).getTimezoneOffset() * 60_000;
}
