/** True while the keys belong to a field or a dialog, so that they are no shortcuts. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isBox(target)) ||
      target.closest('dialog, [role=dialog]') !== null)
  );
}

/** A box takes the space bar only: after a click on it, the keys still act on the selected rows. */
function isBox(target: HTMLElement): boolean {
  return target instanceof HTMLInputElement && target.type === 'checkbox';
}
