/** Draws the visible rows of a timeline. Bars of one colour are one path, so the number of fills stays small. */
import { type StateKind, stateKinds, tokenOf } from '../../design/states.ts';
import { duration } from '../../design/time.ts';
import type { Break, Scale } from './time-scale.ts';
import type { Link, TimelineRow } from './timeline-layout.ts';

const WAIT_HEIGHT = 4;
const SMALLEST_BAR = 3;
const DURATION_SPACE = 48;
/** Bars of a fold that end within this many pixels of the last one in their colour are not drawn again. */
const INDISTINCT = 0.5;

export interface Picture {
  /** All rows; the visible ones start at `first`. */
  readonly rows: readonly TimelineRow[];
  readonly first: number;
  readonly count: number;
  /** Pixels by which the rows are scrolled. */
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly barHeight: number;
  readonly scale: Scale;
  readonly now: number;
  readonly chosen: string | undefined;
  readonly over: number | undefined;
  readonly links: readonly Link[];
}

export function draw(context: CanvasRenderingContext2D, picture: Picture): void {
  const { rows, first, count, scroll, width, height, rowHeight, chosen, over } = picture;
  const ratio = devicePixelRatio;
  const { canvas } = context;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`);
  const bars = new Bars(picture);
  for (let index = first; index < Math.min(rows.length, first + count); index++) {
    const row = rows[index] as TimelineRow;
    const top = index * rowHeight - scroll;
    if ((row.id !== '' && row.id === chosen) || index === over) {
      context.fillStyle = token(row.id === chosen ? 'selected' : 'hover');
      context.fillRect(0, top, width, rowHeight);
    }
    bars.add(row, top);
  }
  bars.fill(context, token);
  for (const one of picture.scale.breaks) drawBreak(context, one, height, token);
  context.font = `11px ${token('font-sans') || 'sans-serif'}`;
  context.textBaseline = 'middle';
  context.fillStyle = token('quiet');
  for (let index = first; index < Math.min(rows.length, first + count); index++) {
    drawDuration(context, rows[index] as TimelineRow, (index + 0.5) * rowHeight - scroll, picture);
  }
  drawLinks(context, picture, token('accent'));
}

/** Time that is left out: a band across all rows, with a dashed edge at both sides. */
function drawBreak(
  context: CanvasRenderingContext2D,
  { left, width }: Break,
  height: number,
  token: (name: string) => string,
): void {
  context.fillStyle = token('hover');
  context.fillRect(left, 0, width, height);
  context.strokeStyle = token('control');
  context.lineWidth = 1;
  context.setLineDash([2, 4]);
  context.beginPath();
  for (const x of [left, left + width]) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, height);
  }
  context.stroke();
  context.setLineDash([]);
}

class Bars {
  readonly #picture: Picture;
  readonly #paths = new Map<StateKind, Path2D>();
  /** Waits say only that nothing runs, so they have no colour of a state. */
  readonly #waits = new Path2D();
  /** The right ends of unfinished bars. */
  readonly #open = new Path2D();

  constructor(picture: Picture) {
    this.#picture = picture;
  }

  add({ segments, role }: TimelineRow, top: number): void {
    const { width, rowHeight, barHeight, now, scale } = this.#picture;
    const drawnTo = role === 'fold' ? new Map<StateKind, number>() : undefined;
    for (const { from, to, kind, isWait } of segments) {
      const left = scale.xOf(from);
      const right = scale.xOf(to ?? now);
      if (right < 0 || left > width || (isWait && right - left < SMALLEST_BAR)) continue;
      const end = Math.max(right, left + SMALLEST_BAR);
      if (drawnTo) {
        if (isWait || end <= (drawnTo.get(kind) ?? Number.NEGATIVE_INFINITY) + INDISTINCT) continue;
        drawnTo.set(kind, end);
      }
      const tall = isWait ? WAIT_HEIGHT : barHeight;
      const y = top + (rowHeight - tall) / 2;
      const begin = Math.max(left, -4);
      (isWait ? this.#waits : this.#path(kind)).roundRect(
        begin,
        y,
        Math.max(SMALLEST_BAR, Math.min(right, width + 4) - begin),
        tall,
        isWait ? 1 : 2,
      );
      if (to === null && !isWait) this.#open.rect(Math.min(right, width) - 2, y, 2, tall);
    }
  }

  #path(kind: StateKind): Path2D {
    let path = this.#paths.get(kind);
    if (!path) {
      path = new Path2D();
      this.#paths.set(kind, path);
    }
    return path;
  }

  /** Failures are drawn on top. */
  fill(context: CanvasRenderingContext2D, token: (name: string) => string): void {
    context.fillStyle = token('control');
    context.fill(this.#waits);
    for (const kind of stateKinds.toReversed()) {
      const path = this.#paths.get(kind);
      if (!path) continue;
      context.fillStyle = token(tokenOf(kind));
      context.fill(path);
    }
    context.fillStyle = token('surface');
    context.fill(this.#open);
  }
}

/** Draws the duration beside the bar, if there is room. */
function drawDuration(context: CanvasRenderingContext2D, row: TimelineRow, middle: number, picture: Picture): void {
  if (row.role === 'fold' || row.role === 'error' || row.start === null) return;
  const end = row.end ?? picture.now;
  const right = picture.scale.xOf(end);
  if (right < 0 || right > picture.width - DURATION_SPACE) return;
  context.fillText(duration((end - row.start) / 1000), right + 6, middle);
}

/** Lines from the end of a run to the start of the run that uses its result. */
function drawLinks(context: CanvasRenderingContext2D, picture: Picture, colour: string): void {
  const { links, rows, rowHeight, scroll, now, scale } = picture;
  if (links.length === 0) return;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (const { from, to } of links) {
    const [giver, taker] = [rows[from], rows[to]];
    if (!giver || !taker) continue;
    const x1 = scale.xOf(giver.end ?? giver.start ?? now);
    const x2 = scale.xOf(taker.start ?? now);
    const y1 = (from + 0.5) * rowHeight - scroll;
    const y2 = (to + 0.5) * rowHeight - scroll;
    const bend = Math.max(12, Math.abs(x2 - x1) / 3);
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.moveTo(x2 - 4, y2 - 3);
    context.lineTo(x2, y2);
    context.lineTo(x2 - 4, y2 + 3);
  }
  context.stroke();
}
