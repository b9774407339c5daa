import { Dialog } from '../components/dialog.tsx';
import { useOfferedActions } from './page-actions.ts';
import { usePlaces } from './use-places.ts';

const general = [
  ['Ctrl K', 'Search and go anywhere'],
  ['/', 'Filter this page'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['?', 'This list'],
] as const;

export function ShortcutHelp({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const ofPage = useOfferedActions().flatMap(({ key, title }) => (key === undefined ? [] : [[key, title] as const]));
  const goTo = usePlaces()
    .flat()
    .map(({ key, title }) => [`g ${key}`, title] as const);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard">
      <div className="grid grid-cols-2 gap-6 max-sm:grid-cols-1">
        {[[...general, ...ofPage], goTo].map((keys) => (
          <dl key={keys[0]?.[0]} className="grid grid-cols-[4.5rem_1fr] content-start gap-y-1.5">
            {keys.map(([key, meaning]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="rounded-control border border-line bg-canvas px-1.5 font-sans text-xs">{key}</kbd>
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </Dialog>
  );
}
