/** Keys that work on every page, except while a person is typing. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isTyping } from '../components/is-typing.ts';
import { places } from './navigation.ts';

const WAIT_MILLISECONDS = 1200;

interface Commands {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

export function useShortcuts({ openPalette, openHelp }: Commands): void {
  const router = useRouter();
  useEffect(() => {
    let isAfterG = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (isAfterG) {
        isAfterG = false;
        const place = places.flat().find(({ key }) => key === event.key);
        if (place) void router.navigate({ to: place.path });
        return;
      }
      if (event.key === 'g') {
        isAfterG = true;
        clearTimeout(timer);
        timer = setTimeout(() => {
          isAfterG = false;
        }, WAIT_MILLISECONDS);
      } else if (event.key === '?') openHelp();
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('[data-filter]');
        event.preventDefault();
        if (filter) filter.focus();
        else openPalette();
      }
    };
    addEventListener('keydown', press);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', press);
    };
  }, [router, openPalette, openHelp]);
}
