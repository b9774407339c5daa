import { Button } from '../components/button.tsx';
import { useAction } from '../components/use-action.ts';
import { setDismissed } from './queries.ts';

/** Takes the first steps from the home page of the workspace, for everyone. */
export function DismissSteps() {
  const { isBusy, problem, run } = useAction();
  return (
    <Button
      kind="quiet"
      disabled={isBusy}
      title={problem ?? 'Nobody sees them on this home page any more. The palette finds them: First steps.'}
      onClick={() => void run(() => setDismissed(true), 'The first steps are dismissed')}
    >
      Dismiss
    </Button>
  );
}
