/** The head of a page, and common parts of pages. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect } from 'react';
import { setPageTitle } from './page-title.ts';
import { shortened } from './text/shortened.ts';

/** A text, and the page that it leads to. */
export type Crumb = readonly [text: string, link?: LinkProps];

interface HeadProps {
  /** Title of the tab; the head shows `children` or this. */
  readonly title: string;
  /** The position of the page, from the outside in. */
  readonly trail?: readonly Crumb[] | ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** False if the page could not be read, so that its title names nothing. */
  readonly isRead?: boolean;
}

export function PageHead({ title, trail, children, actions, isRead = true }: HeadProps) {
  useEffect(() => {
    setPageTitle(shortened(title), isRead);
  }, [title, isRead]);
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-6 pt-4 pb-3 max-sm:px-4">
      {/* Wraps the actions below the title before the title has less room than this. */}
      <div className="min-w-[min(100%,13rem)] flex-1">
        {trail ? (
          <nav aria-label="Breadcrumb" className="flex gap-1.5 text-xs text-quiet">
            {Array.isArray(trail) ? <Trail crumbs={trail} /> : (trail as ReactNode)}
          </nav>
        ) : null}
        <h1 className="text-xl font-semibold tracking-tight max-sm:wrap-anywhere sm:truncate">
          {children ?? shortened(title)}
        </h1>
      </div>
      {actions ? (
        <div className="flex flex-wrap items-center gap-2" data-screen-only>
          {actions}
        </div>
      ) : null}
    </header>
  );
}

function Trail({ crumbs }: { readonly crumbs: readonly Crumb[] }) {
  return crumbs.map(([text, link], index) => (
    <Fragment key={text}>
      {index > 0 ? <span aria-hidden="true">/</span> : null}
      {link ? (
        <Link {...link} className="hover:underline">
          {text}
        </Link>
      ) : (
        <span>{text}</span>
      )}
    </Fragment>
  ));
}

interface SectionProps {
  readonly title: string;
  /** Content beside the title: a count, a link to all. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Section({ title, aside, children, className = '' }: SectionProps) {
  return (
    <section aria-label={title} className={className}>
      <div className="mb-1.5 flex items-baseline justify-between gap-4">
        <h2 className="text-sm font-semibold">{title}</h2>
        {aside ? <div className="text-xs text-quiet">{aside}</div> : null}
      </div>
      {children}
    </section>
  );
}

interface FactsProps {
  /** Values by their names. One that is undefined is left out. */
  readonly of: Readonly<Record<string, ReactNode>>;
  readonly className?: string;
}

/** The facts of an object: quiet names with their values. */
export function Facts({ of, className = 'flex flex-wrap items-center gap-x-6 gap-y-2' }: FactsProps) {
  return (
    <dl className={className}>
      {Object.entries(of).map(([name, value]) =>
        value === undefined ? null : (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ),
      )}
    </dl>
  );
}

/** One of `Facts`, where several depend on each other. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-quiet">{name}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  );
}

/** The sentence above a list in a tab, with buttons at its right. */
export function Lead({ text, children }: { readonly text: ReactNode; readonly children?: ReactNode }) {
  return (
    <div className="mb-3 flex flex-wrap items-start gap-3">
      <p className="mr-auto max-w-140 text-soft">{text}</p>
      {children}
    </div>
  );
}
