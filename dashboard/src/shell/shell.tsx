/** The frame of every page: the rail, the skip link, the keys. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { asksForBasic } from '../api/basic-credential.ts';
import { serverFacts } from '../api/server-facts.ts';
import { IconButton } from '../components/button.tsx';
import { Notifications } from '../components/notify/notifications.tsx';
import { PageFailure } from '../components/states-of-loading.tsx';
import { LiveMark } from './live-mark.tsx';
import { lacksRole } from './navigation.ts';
import { PageFailed } from './page-failed.tsx';
import { openPalette, Palette } from './palette/palette.tsx';
import { PersonMenu } from './person-menu.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { BasicNotice } from './sign-in/basic-notice.tsx';
import { NoRolePage } from './sign-in/no-role-page.tsx';
import { SignedOutNotice } from './sign-in/signed-out-notice.tsx';
import { useFullText } from './use-full-text.ts';
import { usePlaces } from './use-places.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

export function Shell() {
  const [isRailOpen, setRailOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shown = usePlaces();
  const access = useAccess();
  const { pathname } = useLocation();
  useShortcuts({ openPalette, openHelp: () => setHelpOpen(true) });
  useFullText();
  useEffect(() => {
    if (!isRailOpen) return undefined;
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setRailOpen(false);
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [isRailOpen]);
  return (
    <div className="grid min-h-dvh grid-cols-[13rem_minmax(0,1fr)] max-lg:grid-cols-1 max-lg:grid-rows-[auto_1fr]">
      <a
        href="#content"
        className="sr-only z-50 rounded-control bg-ink px-3 py-2 text-on-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <header
        data-screen-only
        className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-2 lg:hidden"
      >
        <IconButton label="Open the menu" aria-expanded={isRailOpen} onClick={() => setRailOpen(!isRailOpen)}>
          <MenuIcon size={18} />
        </IconButton>
        <Brand />
        <div className="flex-1" />
        <LiveMark />
        <IconButton label="Search" onClick={() => openPalette()}>
          <Search size={16} />
        </IconButton>
      </header>
      {isRailOpen ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the rail as well.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only closes what covers the page.
        <div className="fixed inset-0 z-30 bg-black/40 lg:hidden" onClick={() => setRailOpen(false)} />
      ) : null}
      <nav
        aria-label="Main"
        data-screen-only
        className={`sticky top-0 flex h-dvh flex-col gap-4 overflow-y-auto border-r border-line bg-surface px-2 py-3 max-lg:fixed max-lg:z-40 max-lg:w-60 ${isRailOpen ? '' : 'max-lg:hidden'}`}
      >
        <div className="flex items-center justify-between px-2">
          <Brand />
          <LiveMark />
        </div>
        <button
          type="button"
          onClick={() => openPalette()}
          className="flex h-(--row-control) items-center gap-2 rounded-control border border-line bg-canvas px-2 text-quiet hover:bg-hover"
        >
          <Search size={14} />
          <span className="flex-1 text-left">Search</span>
          <kbd className="font-sans text-2xs">Ctrl K</kbd>
        </button>
        <WorkspaceSwitcher />
        {shown.map((group) => (
          <ul key={group[0]?.path} className="flex flex-col gap-px">
            {group.map(({ path, title, icon: Icon }) => (
              <li key={path}>
                <Link
                  to={path}
                  activeOptions={{ exact: path === '/', includeSearch: false }}
                  onClick={() => setRailOpen(false)}
                  className="flex h-(--row-control) items-center gap-2.5 rounded-control px-2 text-soft hover:bg-hover hover:text-ink data-[status=active]:bg-selected data-[status=active]:font-medium data-[status=active]:text-ink"
                >
                  <Icon size={15} strokeWidth={1.75} aria-hidden="true" />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        ))}
        <div className="flex-1" />
        <PersonMenu openHelp={() => setHelpOpen(true)} />
        <p className="px-2 text-2xs text-quiet">Signalbox {serverFacts.version}</p>
      </nav>
      <main id="content" tabIndex={-1} className="min-w-0 pb-16 outline-none">
        {access && lacksRole(access, pathname) ? (
          <NoRolePage access={access} />
        ) : (
          <PageFailure value={PageFailed}>
            <Outlet />
          </PageFailure>
        )}
      </main>
      <Palette />
      {asksForBasic ? <BasicNotice /> : <SignedOutNotice />}
      <Notifications />
      <ShortcutHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

function Brand() {
  return (
    <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight">
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#192122" stroke="var(--line)" />
        <path d="M9 25V12M9 12l14-5" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
        <circle cx="9" cy="12" r="4" fill="#72d0d0" />
      </svg>
      Signalbox
    </Link>
  );
}
