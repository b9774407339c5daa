import { StateLabel } from '../design/state-mark.tsx';
import { type Given, stateOf } from './state-of-server.ts';

export function ServerStateLabel(given: Given) {
  const { kind, name, why } = stateOf(given);
  return (
    <span title={why}>
      <StateLabel kind={kind} name={name} />
    </span>
  );
}
