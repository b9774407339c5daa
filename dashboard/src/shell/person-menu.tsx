/** The menu of the signed-in person, with the display settings of this browser. */
import { useNavigate } from '@tanstack/react-router';
import { CircleUser, SlidersHorizontal } from 'lucide-react';
import { useAccess } from '../api/access.ts';
import { basePath, serverFacts } from '../api/server-facts.ts';
import { Button } from '../components/button.tsx';
import { Menu, MenuCheck, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { setPreference, usePreferences } from '../preferences/preferences.ts';
import { signInAddress, signOut } from './sign-in/sign-in.ts';

export function PersonMenu({ openHelp }: { readonly openHelp: () => void }) {
  const user = useAccess()?.user;
  const navigate = useNavigate();
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
          <MenuItem onSelect={() => void navigate({ to: '/account' })}>Account</MenuItem>
          <MenuItem onSelect={() => void navigate({ to: '/account', search: { tab: 'keys' } })}>Your API keys</MenuItem>
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
        Keyboard
      </MenuItem>
      <MenuItem onSelect={() => location.assign(`${basePath}/help/`)}>Documentation</MenuItem>
      <MenuItem onSelect={() => location.assign(`${basePath}/docs`)}>API documentation</MenuItem>
    </Menu>
  );
}
