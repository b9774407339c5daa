/** Inputs that take no text: a letter that is pressed there is still a shortcut. */
const TEXTLESS = /^(checkbox|radio|range|button|submit|reset|color|file)$/;

/** True while the keys belong to a field or a dialog, so that they are no shortcuts. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField =
    target instanceof HTMLInputElement ? !TEXTLESS.test(target.type) : /^(TEXTAREA|SELECT)$/.test(target.tagName);
  return isField || target.isContentEditable || target.closest('dialog, [role=dialog]') !== null;
}
