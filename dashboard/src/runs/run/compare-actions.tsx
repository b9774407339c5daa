/** Compares a run with an earlier one: the last that completed, or the one before. */
import { Link, useNavigate } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.tsx';
import { MenuItem, MenuSeparator } from '../../components/menu.tsx';
import { usePageActions } from '../../shell/page-actions.ts';
import type { FlowRunView } from '../queries.ts';

interface Other {
  readonly title: string;
  readonly search: { readonly a: string; readonly b: string };
}

/** The one that explains more comes first: a run that failed differs from the last success. */
function othersOf({ flow_run: { id, state_type }, previous, last_success }: FlowRunView): Other[] {
  const before = previous && { title: 'Compare with the run before it', search: { a: previous.id, b: id } };
  const success = last_success && { title: 'Compare with the last success', search: { a: last_success.id, b: id } };
  const hasFailed = state_type === 'FAILED' || state_type === 'CRASHED';
  return (hasFailed ? [success, before] : [before, success]).filter((other) => !!other);
}

export function CompareActions({ view }: { readonly view: FlowRunView }) {
  const navigate = useNavigate();
  const others = othersOf(view);
  usePageActions(
    others.map(({ title, search }, index) => ({
      title,
      ...(index === 0 ? { key: '=' } : {}),
      act: () => void navigate({ to: '/runs/compare', search }),
    })),
  );
  const [first] = others;
  if (!first) return null;
  return (
    <Link to="/runs/compare" search={first.search} title={`${first.title} (=)`} className={buttonClass()}>
      Compare
    </Link>
  );
}

export function CompareItems({ view }: { readonly view: FlowRunView }) {
  const navigate = useNavigate();
  const others = othersOf(view);
  if (others.length === 0) return null;
  return (
    <>
      {others.map(({ title, search }) => (
        <MenuItem key={title} onSelect={() => void navigate({ to: '/runs/compare', search })}>
          {title}
        </MenuItem>
      ))}
      <MenuSeparator />
    </>
  );
}
