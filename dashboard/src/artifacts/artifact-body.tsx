/** The content of an artifact, by its type. All of it comes from users and stays inert. */
import { useMemo } from 'react';
import { Markdown } from '../components/markdown/markdown.tsx';
import { safeAddress } from '../components/markdown/safe-address.ts';
import { CodeBlock } from '../components/text/code-block.tsx';
import { DataGrid } from './data-grid.tsx';
import { gridOf } from './grid.ts';

interface Props {
  readonly type: string | null | undefined;
  readonly data: unknown;
}

export function ArtifactBody({ type, data }: Props) {
  if (data === null || data === undefined) return <p className="text-quiet">It has no content.</p>;
  if (type === 'markdown' && typeof data === 'string') return <Markdown text={data} />;
  if (type === 'progress') return <Progress value={data} />;
  if (type === 'image' && typeof data === 'string') return <Picture address={data} />;
  if (type === 'table') return <Table data={data} />;
  return <Plain data={data} />;
}

function Table({ data }: { readonly data: unknown }) {
  const grid = useMemo(() => gridOf(data), [data]);
  return grid ? <DataGrid grid={grid} /> : <Plain data={data} />;
}

function Plain({ data }: { readonly data: unknown }) {
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 2);
  return <CodeBlock label="Content" text={text} isWrapped />;
}

export function Progress({ value }: { readonly value: unknown }) {
  const percent = Math.max(0, Math.min(100, Number(value) || 0));
  return (
    <span className="flex items-center gap-2">
      <progress className="sr-only" value={percent} max={100} aria-label="Progress" />
      <span aria-hidden="true" className="h-1.5 w-32 overflow-hidden rounded-bar bg-selected">
        <span className="block h-full bg-ink" style={{ width: `${percent}%` }} />
      </span>
      <span className="tabular text-xs">{Math.round(percent * 10) / 10} %</span>
    </span>
  );
}

/** A page loads nothing from elsewhere, so only an image inside the artifact is shown. */
function Picture({ address }: { readonly address: string }) {
  if (address.startsWith('data:image/')) return <img src={address} alt="The artifact" className="max-w-full" />;
  const safe = safeAddress(address);
  return (
    <p>
      {safe ? (
        <a href={safe} target="_blank" rel="noopener noreferrer" className="break-all text-accent underline">
          {address}
        </a>
      ) : (
        <span className="break-all">{address}</span>
      )}
      <span className="mt-1 block text-xs text-quiet">
        This page shows no images from other servers. An image that the artifact holds as a{' '}
        <code className="font-mono">data:</code> address is shown here.
      </span>
    </p>
  );
}
