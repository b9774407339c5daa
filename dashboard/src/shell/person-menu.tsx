/** Who is signed in, and what this browser shows how. */
import { CircleUser, SlidersHorizontal } from 'lucide-react';
import { useAccess } from '../api/access.ts';
import { csrfToken } from '../api/csrf-token.ts';
import { basePath, serverFacts } from '../api/server-facts.ts';
import { Button } from '../components/button.tsx';
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { setPreference, usePreferences } from '../preferences/preferences.ts';

export function PersonMenu({ openHelp }: { readonly openHelp: () => void }) {
  const user = useAccess()?.user;
  const { theme, density, zone } = usePreferences();
  const name = user?.name ?? user?.email;
  return (
    <Menu
      align="start"
      trigger={
        <Button kind="quiet" className="w-full justify-start px-2">
          {user ? <CircleUser size={15} /> : <SlidersHorizontal size={15} />}
          <span className="truncate">{name ?? 'Appearance'}</span>
        </Button>
      }
    >
      {user ? (
        <>
          <MenuItem onSelect={() => location.assign(`${basePath}/account`)}>Account</MenuItem>
          <MenuItem onSelect={() => location.assign(`${basePath}/account/keys`)}>Keys</MenuItem>
          <MenuItem onSelect={signOut}>Sign out</MenuItem>
          <MenuSeparator />
        </>
      ) : serverFacts.hasAccounts ? (
        <>
          <MenuItem onSelect={() => location.assign(signInAddress())}>Sign in</MenuItem>
          <MenuSeparator />
        </>
      ) : null}
      <MenuCheck checked={theme === 'dark'} onChange={(on) => setPreference('theme', on ? 'dark' : 'light')}>
        Dark
      </MenuCheck>
      <MenuCheck checked={theme === 'system'} onChange={(on) => setPreference('theme', on ? 'system' : 'light')}>
        As the system
      </MenuCheck>
      <MenuSeparator />
      <MenuCheck
        checked={density === 'comfortable'}
        onChange={(on) => setPreference('density', on ? 'comfortable' : 'dense')}
      >
        Larger rows
      </MenuCheck>
      <MenuCheck checked={zone === 'utc'} onChange={(on) => setPreference('zone', on ? 'utc' : 'local')}>
        Times in UTC
      </MenuCheck>
      <MenuSeparator />
      <MenuItem onSelect={openHelp} hint="?">
        Keys
      </MenuItem>
      <MenuItem onSelect={() => location.assign(`${basePath}/docs`)}>API documentation</MenuItem>
    </Menu>
  );
}

/** The way to the sign-in and back to this page. */
export function signInAddress(): string {
  const here = location.pathname.slice(basePath.length) + location.search;
  return `${basePath}/sign-in?next=${encodeURIComponent(here)}`;
}

function signOut(): void {
  void fetch(`${basePath}/api/v0/session`, {
    method: 'DELETE',
    headers: { 'x-csrf-token': csrfToken() ?? '' },
  }).then(() => location.assign(`${basePath}/sign-in?after=sign-out`));
}
