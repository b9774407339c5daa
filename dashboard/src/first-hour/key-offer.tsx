/** Creates a key for the commands beside it. The secret is only in the state of the guide, and shown there once. */
import { Button } from '../components/button.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { useAction } from '../components/use-action.ts';
import { expiryOf, usualLifetime } from '../keys/expiry.ts';
import { createOwnKey, useMaxKeyAge } from '../keys/own-key.ts';

interface Props {
  readonly descriptor: string;
  readonly secret: string | undefined;
  readonly onCreated: (secret: string) => void;
}

export function KeyOffer({ descriptor, secret, onCreated }: Props) {
  const { isBusy, problem, run } = useAction();
  const lifetime = usualLifetime(useMaxKeyAge());
  if (secret !== undefined) {
    return (
      <p role="status" className="mb-3 text-soft">
        Your new key is in the commands. Copy them now: it is shown only until you leave this page.
      </p>
    );
  }
  const create = () => run(async () => onCreated((await createOwnKey(descriptor, expiryOf(lifetime))).secret));
  return (
    <div className="mb-3">
      <p className="mb-2 text-soft">
        A program that shows the key may do what you may do.{' '}
        {lifetime === 'none' ? null : `The key expires in ${lifetime} days.`}
      </p>
      <Button disabled={isBusy} onClick={() => void create()}>
        Create a key
      </Button>
      <ProblemNote text={problem} />
    </div>
  );
}
