/** The shapes of the marks of states, for SVG and canvas. */
import type { StateKind } from './states.ts';

/** Width and height of the square in which the shapes are drawn. */
export const MARK_SIZE = 14;

export interface MarkPart {
  /** The attribute `d` of an SVG path. */
  readonly path: string;
  /** True if it has the background colour instead of the colour of the state. */
  readonly isInk?: boolean;
  /** Width of the stroke; a part without one is filled. */
  readonly width?: number;
  readonly dashes?: readonly number[];
}

const disc = circle(6);
const ring = circle(5.25);

export const markShapes: Readonly<Record<StateKind, readonly MarkPart[]>> = {
  SCHEDULED: [
    { path: ring, width: 1.5 },
    { path: 'M7 4v3.2l2 1.3', width: 1.4 },
  ],
  LATE: [
    { path: 'M12.1 8.3A5.25 5.25 0 1 1 9.6 2.4', width: 1.5 },
    { path: 'M6.6 4.3v3.1l1.9 1.2', width: 1.4 },
    { path: 'M12.3 1.6v2.6', width: 1.6 },
    { path: circle(0.9, 12.3, 6.2) },
  ],
  PENDING: [{ path: ring, width: 1.6, dashes: [2.2, 1.92] }],
  RUNNING: [{ path: disc }, { path: 'M5.6 4.4v5.2L9.9 7z', isInk: true }],
  PAUSED: [
    {
      path: 'M4 1.5h6a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5h-6a2.5 2.5 0 0 1-2.5-2.5v-6a2.5 2.5 0 0 1 2.5-2.5z',
    },
    { path: 'M5.4 4.6v4.8M8.6 4.6v4.8', isInk: true, width: 1.5 },
  ],
  CANCELLING: [
    { path: ring, width: 1.6, dashes: [3.2, 2.3] },
    { path: 'm4.6 9.4 4.8-4.8', width: 1.6 },
  ],
  COMPLETED: [{ path: disc }, { path: 'm4.4 7.2 1.8 1.8 3.4-3.8', isInk: true, width: 1.6 }],
  FAILED: [
    { path: 'M4.6 1h4.8L13 4.6v4.8L9.4 13H4.6L1 9.4V4.6z' },
    { path: 'm5 5 4 4m0-4L5 9', isInk: true, width: 1.6 },
  ],
  CANCELLED: [
    { path: ring, width: 1.6 },
    { path: 'm3.4 10.6 7.2-7.2', width: 1.6 },
  ],
  CRASHED: [{ path: 'M7 .6 13.8 12.8H.2z' }, { path: 'M7.9 4.6 5.6 8.3h1.7l-.8 2.9 2.5-3.9H7.2z', isInk: true }],
};

function circle(radius: number, x = 7, y = 7): string {
  const across = radius * 2;
  return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${across} 0a${radius} ${radius} 0 1 0-${across} 0z`;
}
