/**
 * Time across a timeline. Idle time is folded: it takes a break of fixed width, and what remains is worked time, of which
 * a window is shown.
 */

/** Milliseconds from the origin. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Worked milliseconds from the origin to the left edge, and across the view. */
export interface Window {
  readonly from: number;
  readonly span: number;
}

/** A folded span in the view, in pixels from the left edge. */
export interface Break {
  readonly span: Span;
  readonly left: number;
  readonly width: number;
}

export interface Scale {
  readonly breaks: readonly Break[];
  /** The parts of the view between its breaks. */
  readonly stretches: readonly Span[];
  readonly pixelsPerMillisecond: number;
  /** Pixels from the left edge. */
  xOf(at: number): number;
  /** The worked time at this many pixels from the left edge. */
  workedAt(x: number): number;
}

const BREAK_WIDTH = 24;
/** The largest share of the view that breaks take. */
const MOST_BREAKS = 0.4;

/** The worked time until then. The spans are in their order and apart from each other. */
export function workedUntil(folded: readonly Span[], at: number): number {
  return folded.reduce((time, { from, to }) => time - Math.max(0, Math.min(at, to) - from), at);
}

/** The inverse of `workedUntil`, at the beginning of a folded span. */
function timeAfter(folded: readonly Span[], worked: number): number {
  let time = worked;
  for (const { from, to } of folded) if (from < time) time += to - from;
  return time;
}

export function scaleOf(folded: readonly Span[], shown: Window, width: number): Scale {
  const to = shown.from + shown.span;
  const places = folded.map((span) => ({ span, worked: workedUntil(folded, span.from) }));
  const visible = places.filter(({ worked }) => worked > shown.from && worked < to);
  const breakWidth = Math.min(BREAK_WIDTH, (width * MOST_BREAKS) / Math.max(1, visible.length));
  const pixelsPerMillisecond = (width - breakWidth * visible.length) / shown.span;
  const breaks = visible.map(({ span, worked }, index) => ({
    span,
    left: (worked - shown.from) * pixelsPerMillisecond + index * breakWidth,
    width: breakWidth,
  }));
  const edges = [
    timeAfter(folded, shown.from),
    ...visible.flatMap(({ span }) => [span.from, span.to]),
    timeAfter(folded, to),
  ];
  const stretches: Span[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    stretches.push({ from: edges[index] as number, to: edges[index + 1] as number });
  }
  return {
    breaks,
    stretches,
    pixelsPerMillisecond,
    xOf(at) {
      let x = (workedUntil(folded, at) - shown.from) * pixelsPerMillisecond;
      for (const { span } of breaks) {
        x += breakWidth * Math.max(0, Math.min(1, (at - span.from) / (span.to - span.from)));
      }
      return x;
    },
    workedAt(x) {
      const passed = breaks.reduce((sum, { left }) => sum + Math.max(0, Math.min(breakWidth, x - left)), 0);
      return shown.from + (x - passed) / pixelsPerMillisecond;
    },
  };
}
