/** Keys that work on every page, except while a person is typing. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { isTyping } from '../components/is-typing.ts';
import { places } from './navigation.ts';
import { offeredActions } from './page-actions.ts';

const WAIT_MILLISECONDS = 1200;

interface Commands {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

export function useShortcuts({ openPalette, openHelp }: Commands): void {
  const router = useRouter();
  const search = useEffectEvent(openPalette);
  const help = useEffectEvent(openHelp);
  useEffect(() => {
    let isAfterG = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent) => {
      const wasAfterG = isAfterG;
      isAfterG = false;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        search();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (wasAfterG) {
        const place = places.flat().find(({ key }) => key === event.key);
        if (place) void router.navigate({ to: place.path });
      } else if (event.key === 'g') {
        isAfterG = true;
        clearTimeout(timer);
        timer = setTimeout(() => {
          isAfterG = false;
        }, WAIT_MILLISECONDS);
      } else if (event.key === '?') help();
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('[data-filter]');
        event.preventDefault();
        if (filter) filter.focus();
        else search();
      } else if (!event.repeat) {
        offeredActions()
          .find(({ key }) => key === event.key)
          ?.act();
      }
    };
    addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', press);
    };
  }, [router]);
}
