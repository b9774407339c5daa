/** A key of a part of a page. It does nothing while a person types, with a modifier, and after `g`, which leads to pages. */
import { useEffect, useEffectEvent } from 'react';
import { isTyping } from './is-typing.ts';

const AFTER_G_MILLISECONDS = 1200;

export function useKey(key: string, act: () => void): void {
  const pressed = useEffectEvent(act);
  useEffect(() => {
    let afterG = 0;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'g') afterG = Date.now() + AFTER_G_MILLISECONDS;
      else if (event.key === key && Date.now() > afterG) {
        event.preventDefault();
        pressed();
      } else afterG = 0;
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [key]);
}
