/** The frames of a traceback: the user's own line first, the engine's on request. */
import type { components } from '../../../api/schema.gen.ts';

type Frame = components['schemas']['CodeFrame'];

export function UserFrame({ frame }: { readonly frame: Frame }) {
  return (
    <div className="mt-2 rounded-control border border-line bg-canvas px-3 py-2 font-mono text-xs">
      <div className="truncate text-quiet" title={frame.file}>
        {shortPath(frame.file)}:{frame.line} in {frame.function}
      </div>
      {frame.code ? <div className="overflow-x-auto whitespace-pre">{frame.code}</div> : null}
    </div>
  );
}

const SHOWN_FOLDERS = 4;

function shortPath(file: string): string {
  const parts = file.split(/[\\/]/);
  return parts.length > SHOWN_FOLDERS ? `…/${parts.slice(-SHOWN_FOLDERS).join('/')}` : file;
}

interface Props {
  readonly frames: readonly Frame[];
  readonly userFrame: number | null;
}

/** Frames of engines and packages are folded; the user's frames stand out. */
export function Traceback({ frames, userFrame }: Props) {
  return (
    <details className="mt-2 text-xs">
      <summary className="text-quiet hover:text-ink">All {frames.length} frames</summary>
      <ol className="mt-1 font-mono">
        {frames.map((frame, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a frame may stand several times in a traceback, which never changes.
            key={index}
            className={index === userFrame ? 'font-semibold' : 'text-quiet'}
          >
            {shortPath(frame.file)}:{frame.line} {frame.function}
            {frame.code ? <span className="font-normal"> · {frame.code}</span> : null}
          </li>
        ))}
      </ol>
    </details>
  );
}
