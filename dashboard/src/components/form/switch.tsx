interface Props {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A switch that takes effect immediately. */
export function Switch({ label, checked, onChange, disabled = false }: Props) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
      className="inline-flex h-4 w-7 shrink-0 items-center rounded-full border border-control bg-surface px-0.5 align-middle disabled:opacity-50 aria-checked:border-accent aria-checked:bg-accent"
    >
      <span
        aria-hidden="true"
        className={`size-2.5 rounded-full transition-transform ${checked ? 'translate-x-3 bg-surface' : 'bg-control'}`}
      />
    </button>
  );
}
