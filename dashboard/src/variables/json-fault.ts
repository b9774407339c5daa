/** A sentence with the reason why the text is not JSON; undefined for JSON. */
export function faultOf(value: string): string | undefined {
  try {
    JSON.parse(value);
    return undefined;
  } catch (error) {
    const text = value.trim();
    if (/^[^"[{\d-]\S*$/.test(text)) return `This is not JSON. Text needs quotes around it: ${JSON.stringify(text)}.`;
    return `This is not JSON${placeOf(error, value)}.`;
  }
}

/** The line of the fault, if the browser gives its position. */
function placeOf(error: unknown, value: string): string {
  const position = /position (\d+)/.exec(String(error))?.[1];
  return position === undefined ? '' : `: the fault is in line ${value.slice(0, Number(position)).split('\n').length}`;
}
