/** True while the keys belong to a field or a dialog, so that they are no shortcuts. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest('dialog, [role=dialog]') !== null)
  );
}
