/**
 * Explains how to move and zoom a canvas, with a mouse and keys or with fingers. `moves` describes moving with a mouse.
 */
export function CanvasHints({ moves }: { readonly moves: string }) {
  return (
    <>
      <span className="hidden pointer-coarse:inline">drag with one finger moves</span>
      <span className="hidden pointer-coarse:inline">+ and − zoom</span>
      <span className="pointer-coarse:hidden">Ctrl + wheel zooms</span>
      <span className="pointer-coarse:hidden">{moves}</span>
      <span className="pointer-coarse:hidden">
        <kbd className="font-sans">e</kbd> next failure
      </span>
      <span className="pointer-coarse:hidden">
        <kbd className="font-sans">0</kbd> all
      </span>
    </>
  );
}
