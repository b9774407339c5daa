import { Plus } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode } from 'react';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<Kind, string>> = {
  primary: 'bg-ink text-on-ink hover:bg-soft border-transparent',
  plain: 'bg-surface text-ink border-line hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-failed-text border-line hover:bg-hover',
};

const controlClass =
  'inline-flex h-(--row-control) items-center justify-center gap-1.5 whitespace-nowrap rounded-control border font-medium select-none disabled:opacity-50 [&_svg]:shrink-0';

export function buttonClass(kind: Kind = 'plain'): string {
  return `${controlClass} px-2.5 ${looks[kind]}`;
}

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: Kind;
  readonly children?: ReactNode;
}

export function Button({ kind = 'plain', className = '', type = 'button', ...rest }: Props) {
  return <button type={type} className={`${buttonClass(kind)} ${className}`} {...rest} />;
}

/** The main button of a list: it makes a new object. */
export function NewButton({ children, ...rest }: Omit<Props, 'kind'>) {
  return (
    <Button kind="primary" {...rest}>
      <Plus size={14} />
      {children}
    </Button>
  );
}

interface IconButtonProps extends Omit<Props, 'children'> {
  /** The action, read by screen readers and shown on hover. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({ label, kind = 'quiet', className = '', children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`${controlClass} w-(--row-control) ${looks[kind]} ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}
