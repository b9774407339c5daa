/** The buttons at the end of the page that adds servers. */
import { Link } from '@tanstack/react-router';
import { Button, buttonClass } from '../../components/button.tsx';

interface Props {
  readonly label: string;
  readonly isBusy: boolean;
  /** The reason why the form cannot be sent yet. */
  readonly lack: string | undefined;
}

export function SendRow({ label, isBusy, lack }: Props) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button kind="primary" type="submit" disabled={isBusy || lack !== undefined} title={lack}>
        {label}
      </Button>
      <Link to="/servers" className={buttonClass('quiet')}>
        Cancel
      </Link>
      {lack ? <span className="text-xs text-quiet">{lack}.</span> : null}
    </div>
  );
}
