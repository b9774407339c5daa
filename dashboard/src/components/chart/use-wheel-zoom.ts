import { type RefObject, useEffect, useRef } from 'react';

/** A factor above one zooms out. */
type Zoom = (factor: number, at: { readonly x: number; readonly y: number }) => void;

/**
 * Zooms with Ctrl and the wheel, or with two fingers on a trackpad; the page itself then keeps its size. `at` is the
 * position of the pointer, in pixels from the element's top left corner.
 */
export function useWheelZoom(element: RefObject<HTMLElement | null>, zoom: Zoom): void {
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = target.getBoundingClientRect();
      latest.current(event.deltaY > 0 ? 1.25 : 0.8, { x: event.clientX - left, y: event.clientY - top });
    };
    // React's listeners are passive, and a passive listener cannot prevent the page from zooming.
    target.addEventListener('wheel', turn, { passive: false });
    return () => target.removeEventListener('wheel', turn);
  }, [element]);
}
