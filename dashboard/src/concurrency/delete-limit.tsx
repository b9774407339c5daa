import { Confirm } from '../components/dialog.tsx';
import { limitTitle } from './limit-name.tsx';
import { deleteLimit, type LimitRow } from './queries.ts';

interface Props {
  readonly limit: LimitRow;
  readonly onClose: () => void;
  readonly onDeleted: () => Promise<unknown>;
}

export function DeleteLimit({ limit, onClose, onDeleted }: Props) {
  return (
    <Confirm
      isOpen
      onClose={onClose}
      question={`Delete ${limitTitle(limit)}?`}
      action="Delete limit"
      onConfirm={async () => {
        await deleteLimit(limit.id);
        await onDeleted();
      }}
    >
      Code that requests it is no longer limited.{' '}
      {limit.active_slots > 0
        ? `${limit.active_slots} ${limit.active_slots === 1 ? 'slot is' : 'slots are'} taken now; the holders go on.`
        : 'No slot is taken now.'}
    </Confirm>
  );
}
