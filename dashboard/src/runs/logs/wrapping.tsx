/** The button, with the key `w`, that lets long log lines wrap, or not, in all logs. */
import { WrapText } from 'lucide-react';
import { IconButton } from '../../components/button.tsx';
import { useKey } from '../../components/use-key.ts';
import { setPreference, usePreferences } from '../../preferences/preferences.ts';

export function WrapButton() {
  const { wrapsLogs } = usePreferences();
  const toggle = () => setPreference('wrapsLogs', !wrapsLogs);
  useKey('w', toggle);
  return (
    <IconButton
      label="Wrap long lines (w)"
      aria-pressed={wrapsLogs}
      className="aria-pressed:bg-selected aria-pressed:text-ink"
      onClick={toggle}
    >
      <WrapText size={15} />
    </IconButton>
  );
}
