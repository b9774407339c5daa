/** The widths of the columns of a table: as wide as their content, unless somebody has chosen another width. */
import { useEffect, useMemo, useState } from 'react';
import { setTableLook, usePreferences } from '../../preferences/preferences.ts';
import type { Column } from './data-row.tsx';

export interface ColumnWidths {
  /** The least and the most pixels that can be chosen. */
  readonly least: number;
  readonly most: number;
  readonly change: (id: string, pixels: number) => void;
  /** The column is as wide as its content again. */
  readonly reset: (id: string) => void;
  /** The track of a column in the grid. A column gives room back when the table is too narrow for all. */
  readonly trackOf: <Row>(column: Column<Row>) => string;
}

const LEAST = 40;
const MOST = 1200;
const BOUNDS = [64, 320] as const;
/** Rows whose texts are measured. */
const MEASURED = 100;
/** Letters of a text that are measured; no column is wider. */
const LETTERS = 120;
/** Pixels for what measuring does not see: kerning, rounding. */
const SLACK = 4;

export function useColumnWidths<Row>(
  name: string | undefined,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): ColumnWidths {
  const { tables, density } = usePreferences();
  const chosen = name === undefined ? undefined : tables[name]?.widths;
  const [hasFont, setHasFont] = useState(document.fonts.status === 'loaded');
  useEffect(() => {
    if (!hasFont) void document.fonts.ready.then(() => setHasFont(true));
  }, [hasFont]);
  // A column that has been wide stays wide, so that nothing moves when rows come and go.
  const [widest] = useState(() => new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the font changes what is measured.
  const measured = useMemo(() => {
    const some = rows.slice(0, MEASURED);
    for (const { id, title, text, extra = 0 } of columns) {
      if (!text) continue;
      const widths = some.map((row) => widthOf(text(row)));
      widest.set(id, Math.max(widest.get(id) ?? 0, widthOf(title) + 16, ...widths.map((width) => width + extra)));
    }
    return new Map(widest);
  }, [columns, rows, widest, hasFont, density]);
  return useMemo(() => {
    const save = (widths: Readonly<Record<string, number>>) => name !== undefined && setTableLook(name, { widths });
    return {
      least: LEAST,
      most: MOST,
      change: (id, pixels) => save({ ...chosen, [id]: Math.round(Math.max(LEAST, Math.min(MOST, pixels))) }),
      reset: (id) => save(Object.fromEntries(Object.entries(chosen ?? {}).filter(([one]) => one !== id))),
      trackOf: ({ id, width, bounds: [least, most] = BOUNDS }) => {
        const own = chosen?.[id];
        if (own !== undefined) return `minmax(${Math.min(LEAST, own)}px, ${own}px)`;
        if (width !== undefined) return width;
        const content = Math.min(most, Math.ceil(measured.get(id) ?? least) + SLACK);
        return `minmax(${Math.min(least, content)}px, ${content}px)`;
      },
    };
  }, [name, chosen, measured]);
}

let context: CanvasRenderingContext2D | null | undefined;
const known = new Map<string, number>();
const MOST_KNOWN = 10_000;

/** Pixels of a text in the table's font. */
function widthOf(text: string): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return 0;
  const { fontFamily, fontSize } = getComputedStyle(document.body);
  const font = `500 ${fontSize} ${fontFamily}`;
  const part = text.slice(0, LETTERS);
  const key = `${document.fonts.status} ${font} ${part}`;
  const old = known.get(key);
  if (old !== undefined) return old;
  context.font = font;
  const { width } = context.measureText(part);
  if (known.size > MOST_KNOWN) known.clear();
  known.set(key, width);
  return width;
}
