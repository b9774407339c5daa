/** Every component in each of its states, for the pictures of DESIGN.md. The server does not serve it. */
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import './gallery.css';
import { Ellipsis, RotateCw } from 'lucide-react';
import { Problem } from '../src/api/problem.ts';
import { Button, IconButton } from '../src/components/button.tsx';
import { Histogram } from '../src/components/chart/histogram.tsx';
import { Fact, Section } from '../src/components/page.tsx';
import { Empty, Failed, Skeleton } from '../src/components/states-of-loading.tsx';
import { type Column, DataTable } from '../src/components/table/data-table.tsx';
import { Snippet } from '../src/components/text/snippet.tsx';
import { StateLabel, StateMark } from '../src/design/state-mark.tsx';
import { type StateKind, stateKinds, titleOf } from '../src/design/states.ts';
import { setPreference } from '../src/preferences/preferences.ts';
import '../src/preferences/theme.ts';

const wanted = new URLSearchParams(location.search);
setPreference('theme', wanted.get('mode') === 'dark' ? 'dark' : 'light');
setPreference('density', wanted.get('density') === 'comfortable' ? 'comfortable' : 'dense');

function Specimen({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div data-specimen={name} className="bg-canvas p-6" style={{ width: 760 }}>
      {children}
    </div>
  );
}

const sizes = ['text-2xs', 'text-xs', 'text-sm', 'text-base', 'text-lg', 'text-xl', 'text-2xl'] as const;
const grounds = [
  'surface',
  'canvas',
  'hover',
  'selected',
  'line',
  'control',
  'quiet',
  'soft',
  'ink',
  'accent',
] as const;

function Colours() {
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-5 gap-3">
        {grounds.map((name) => (
          <div key={name}>
            <div className="h-8 rounded-control border border-line" style={{ background: `var(--${name})` }} />
            <div className="mt-1 text-xs text-quiet">{name}</div>
          </div>
        ))}
      </div>
      <div className="grid grid-cols-5 gap-3">
        {stateKinds.map((kind) => (
          <div key={kind}>
            <div className="h-8 rounded-control" style={{ background: `var(--${kind.toLowerCase()})` }} />
            <div className="mt-1 text-xs" style={{ color: `var(--${kind.toLowerCase()}-text)` }}>
              {titleOf(kind)}
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}

interface Row {
  readonly id: string;
  readonly kind: StateKind;
  readonly name: string;
  readonly flow: string;
  readonly seconds: string;
}

const rows: readonly Row[] = stateKinds.map((kind, index) => ({
  id: kind,
  kind,
  name: `run-${index + 1}`,
  flow: index % 2 === 0 ? 'daily-report' : 'billing',
  seconds: `${(index * 1.7 + 0.4).toFixed(1)} s`,
}));

const columns: readonly Column<Row>[] = [
  { id: 'state', title: 'State', width: '9rem', cell: ({ kind }) => <StateLabel kind={kind} /> },
  {
    id: 'name',
    title: 'Run',
    width: 'minmax(8rem, 1fr)',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'flow',
    title: 'Flow',
    width: 'minmax(8rem, 1fr)',
    cell: ({ flow }) => <span className="text-soft">{flow}</span>,
  },
  { id: 'duration', title: 'Duration', width: '6rem', align: 'right', cell: ({ seconds }) => seconds },
];

function Table() {
  const [selected, select] = useState<ReadonlySet<string>>(new Set(['CRASHED', 'PAUSED']));
  return (
    <DataTable label="Runs" columns={columns} rows={rows} idOf={({ id }) => id} selected={selected} onSelect={select} />
  );
}

const intervals = Array.from({ length: 48 }, (_, index) => ({
  start: new Date(Date.UTC(2026, 10, 22, 0, index * 30)).toISOString(),
  counts: {
    COMPLETED: Math.round(20 + 14 * Math.sin(index / 5)),
    ...(index % 11 === 3 ? { FAILED: 1 } : {}),
    ...(index > 44 ? { RUNNING: 4, SCHEDULED: 8 } : {}),
  },
}));

function Buttons() {
  const kinds = ['primary', 'plain', 'quiet', 'danger'] as const;
  return (
    <div className="grid grid-cols-[6rem_1fr_1fr_1fr] items-center gap-3">
      {kinds.map((kind) => (
        <div key={kind} className="contents">
          <span className="text-xs text-quiet">{kind}</span>
          <span>
            <Button kind={kind}>
              <RotateCw size={14} /> Retry
            </Button>
          </span>
          <span>
            <Button kind={kind} data-focus={kind}>
              In focus
            </Button>
          </span>
          <span>
            <Button kind={kind} disabled title="The run has not ended">
              Disabled
            </Button>
          </span>
        </div>
      ))}
      <span className="text-xs text-quiet">icon</span>
      <span>
        <IconButton label="More">
          <Ellipsis size={15} />
        </IconButton>
      </span>
    </div>
  );
}

function Fields() {
  return (
    <div className="grid grid-cols-2 gap-4">
      <label className="block">
        <span className="text-soft">Name</span>
        <input className="field mt-1" defaultValue="nightly" />
      </label>
      <label className="block">
        <span className="text-soft">Zone</span>
        <select className="field mt-1">
          <option>Europe/Berlin</option>
        </select>
      </label>
      <label className="block">
        <span className="text-soft">Cron</span>
        <input className="field mt-1" defaultValue="0 25 * * *" aria-invalid="true" />
        <span className="text-xs text-failed-text">The hour is at most 23.</span>
      </label>
      <label className="block">
        <span className="text-soft">Pool</span>
        <input className="field mt-1" placeholder="The pool of the deployment" />
      </label>
    </div>
  );
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <>
    <Specimen name="type">
      {sizes.map((size) => (
        <p key={size} className={`${size} flex items-baseline gap-4`}>
          <span className="w-20 shrink-0 font-mono text-2xs text-quiet">{size}</span>
          <span>Every run says why</span>
          <span className="tabular text-soft">1,024 runs in 3.5 s</span>
        </p>
      ))}
    </Specimen>
    <Specimen name="colours">
      <Colours />
    </Specimen>
    <Specimen name="states">
      <div className="grid grid-cols-5 gap-x-3 gap-y-3">
        {stateKinds.map((kind) => (
          <div key={kind} className="flex items-center gap-2">
            <StateMark kind={kind} size={24} />
            <StateLabel kind={kind} />
          </div>
        ))}
      </div>
    </Specimen>
    <Specimen name="buttons">
      <Buttons />
    </Specimen>
    <Specimen name="fields">
      <Fields />
    </Specimen>
    <Specimen name="table">
      <Table />
    </Specimen>
    <Specimen name="histogram">
      <Section title="Runs, last day" aside="half take up to 0.26 s, 95 % up to 1.4 s">
        <Histogram intervals={intervals} height={96} />
      </Section>
    </Specimen>
    <Specimen name="facts">
      <dl className="flex gap-8">
        <Fact name="Started">68 s ago</Fact>
        <Fact name="Duration">1.0 s</Fact>
        <Fact name="Task runs">6</Fact>
      </dl>
    </Specimen>
    <Specimen name="snippet">
      <Snippet title="In a terminal" text={'pip install prefect\nexport PREFECT_API_URL=http://127.0.0.1:4200/api'} />
    </Specimen>
    <Specimen name="empty">
      <Empty title="No run matches these filters" action={<Button>Remove the filters</Button>}>
        There may be runs in another span of time.
      </Empty>
    </Specimen>
    <Specimen name="failed">
      <Failed error={new Problem(503, 'The server is busy or its database is away.')} retry={() => undefined} />
    </Specimen>
    <Specimen name="forbidden">
      <Failed error={new Problem(403, 'You need the role of an administrator.')} />
    </Specimen>
    <Specimen name="loading">
      <Skeleton rows={5} />
    </Specimen>
  </>,
);
