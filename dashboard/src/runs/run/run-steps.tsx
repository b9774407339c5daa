/** Leads to the previous and the next run of the list from which the person came. */
import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { IconButton } from '../../components/button.tsx';
import { usePageActions } from '../../shell/page-actions.ts';
import { lastList, stepsFrom } from '../list/last-list.ts';

export function RunSteps({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  const list = lastList();
  const steps = stepsFrom(list, id);
  const open = (run: string | undefined) =>
    run !== undefined && void navigate({ to: '/runs/flow-run/$id', params: { id: run } });
  usePageActions([
    steps?.next !== undefined && { title: 'Next run of the list', key: 'j', act: () => open(steps.next) },
    steps?.previous !== undefined && { title: 'Previous run of the list', key: 'k', act: () => open(steps.previous) },
  ]);
  if (!list || !steps) return null;
  return (
    <nav aria-label="Runs of the list" className="flex items-center">
      <Link
        to="/runs"
        search={list.search}
        title="Back to the list"
        className="tabular mr-1 text-xs text-quiet hover:text-ink hover:underline"
      >
        {steps.place.toLocaleString('en')} of {steps.count.toLocaleString('en')}
      </Link>
      <IconButton label="Previous run (k)" disabled={steps.previous === undefined} onClick={() => open(steps.previous)}>
        <ChevronUp size={15} />
      </IconButton>
      <IconButton label="Next run (j)" disabled={steps.next === undefined} onClick={() => open(steps.next)}>
        <ChevronDown size={15} />
      </IconButton>
    </nav>
  );
}
