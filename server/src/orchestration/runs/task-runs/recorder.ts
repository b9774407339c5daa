/**
 * Records the task runs that clients orchestrate. Each state arrives as an event, perhaps late, repeated or out of
 * order, and a task run becomes a row here. Source: the Prefect server 3.9.1, with which server/test/reference
 * compares.
 */
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import type { EventRecorder } from '../../../events/intake.ts';
import { type JsonText, parseJson } from '../../../values/json.ts';
import type { Timestamp } from '../../../values/time.ts';
import { beforeFirstState } from '../rows/derived-columns.ts';
import { randomRunName } from '../rows/random-name.ts';
import { withDetails } from '../rows/state.ts';
import { stateRow } from '../rows/stored-state.ts';
import { findReferencedRuns, replaceTags, writeRuns, writeStates } from './recorder-queries.ts';
import { isStateEvent, readStateEvent, type StateEvent } from './state-event.ts';

type NewRun = NewRow<'task_run'>;
type NewState = NewRow<'task_run_state'>;

/** A run while a batch of its states is applied. */
interface Draft {
  run: NewRun;
  /** The stored run; undefined for a new run. */
  readonly stored: NewRun | undefined;
  isChanged: boolean;
}

/**
 * Adds every state to the history of its run. The run takes the columns of a state only when the state is newer than
 * its own. A malformed event, or one whose flow run does not exist, stays an event and is not recorded further.
 */
export const recordTaskRuns: EventRecorder = async (tx, events, { now, logger }) => {
  const told: StateEvent[] = [];
  for (const event of events) {
    if (!isStateEvent(event)) continue;
    const read = readStateEvent(event);
    if (typeof read === 'string') logger.warn({ id: event.row.id, reason: read }, 'task run not recorded');
    else told.push(read);
  }
  if (told.length === 0) return;
  const book = new RunBook(await findRuns(tx, told), now);
  const states = told.map((event) => book.add(event));
  const written = await writeDrafts(tx, book.drafts);
  const missing = await missingRuns(
    tx,
    book.drafts.filter(({ run, stored }) => !stored && !written.has(run.id)).map(({ run }) => run),
  );
  for (const { id, flow_run_id } of missing) {
    logger.warn({ task_run_id: id, flow_run_id }, 'task run not recorded: its flow run is not there');
  }
  const missingIds = new Set(missing.map(({ id }) => id));
  const kept = states.filter(({ task_run_id }) => !missingIds.has(task_run_id));
  if (kept.length > 0) await writeStates(tx, kept);
};

/** The unwritten new runs that do not exist: another replica may have written a newer state of the others. */
async function missingRuns(tx: Tx, runs: readonly NewRun[]): Promise<readonly NewRun[]> {
  if (runs.length === 0) return [];
  const there = new Set((await findReferencedRuns(tx, runs)).map(({ id }) => id));
  return runs.filter(({ id }) => !there.has(id));
}

function findRuns(tx: Tx, told: readonly StateEvent[]): Promise<NewRun[]> {
  const references = told.map(({ task_run_id, flow_run_id, columns: { task_key, dynamic_key } }) => ({
    id: task_run_id,
    flow_run_id,
    task_key,
    dynamic_key,
  }));
  return findReferencedRuns(tx, references);
}

async function writeDrafts(tx: Tx, drafts: readonly Draft[]): Promise<Set<string>> {
  const changed = drafts.filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return new Set();
  const written = await writeRuns(
    tx,
    changed.map(({ run }) => run),
  );
  const retagged = changed.filter(({ run, stored }) => written.has(run.id) && run.tags !== (stored?.tags ?? '[]'));
  if (retagged.length > 0)
    await replaceTags(
      tx,
      retagged.map(({ run }) => ({ id: run.id, tags: textsIn(run.tags) })),
    );
  return written;
}

function textsIn(tags: JsonText): string[] {
  return parseJson(tags) as string[];
}

/** Applies states to runs, in the order of their events. */
class RunBook {
  readonly drafts: Draft[] = [];
  readonly #now: Timestamp;
  readonly #byId = new Map<string, Draft>();
  readonly #byKey = new Map<string, Draft>();

  constructor(stored: readonly NewRun[], now: Timestamp) {
    this.#now = now;
    for (const run of stored) this.#keep({ run, stored: run, isChanged: false });
  }

  /** Applies the state and returns its row, with the id of its run. */
  add(event: StateEvent): NewState {
    const draft = this.#draftFor(event);
    const { state, flow_run_id, columns } = event;
    const { run } = draft;
    if (run.state_timestamp === null || run.state_timestamp < state.timestamp) {
      draft.run = {
        ...run,
        ...columns,
        flow_run_id,
        updated: this.#now,
        state_id: state.id,
        state_type: state.type,
        state_name: state.name,
        state_timestamp: state.timestamp,
      };
      draft.isChanged = true;
      this.#byKey.set(naturalKey(draft.run), draft);
    }
    return { task_run_id: run.id, ...stateRow(withDetails(state, { task_run_id: run.id, flow_run_id })) };
  }

  /**
   * The run with the natural key within the flow run, else the run with the id. Without a flow run, the id comes first;
   * the natural key is unique there too.
   */
  #draftFor({ task_run_id, flow_run_id, columns }: StateEvent): Draft {
    const byKey = this.#byKey.get(naturalKey({ ...columns, flow_run_id }));
    const byId = this.#byId.get(task_run_id);
    const known = flow_run_id === null ? (byId ?? byKey) : (byKey ?? byId);
    if (known) return known;
    const run = { ...emptyRun(), id: task_run_id, created: this.#now, updated: this.#now, ...columns, flow_run_id };
    return this.#keep({ run, stored: undefined, isChanged: false });
  }

  #keep(draft: Draft): Draft {
    this.drafts.push(draft);
    this.#byId.set(draft.run.id, draft);
    this.#byKey.set(naturalKey(draft.run), draft);
    return draft;
  }
}

function naturalKey({
  flow_run_id,
  task_key,
  dynamic_key,
}: Pick<NewRun, 'flow_run_id' | 'task_key' | 'dynamic_key'>): string {
  return JSON.stringify([flow_run_id, task_key, dynamic_key]);
}

/** The columns of a new run that its first event does not give. */
function emptyRun(): Omit<NewRun, 'id' | 'created' | 'updated' | 'flow_run_id' | 'task_key' | 'dynamic_key'> {
  return {
    ...beforeFirstState,
    name: randomRunName(),
    cache_key: null,
    cache_expiration: null,
    task_version: null,
    empirical_policy: defaultPolicy,
    tags: '[]' as JsonText,
    labels: null,
    task_inputs: '{}' as JsonText,
    flow_run_run_count: 0,
  };
}

const defaultPolicy =
  '{"max_retries":0,"retry_delay_seconds":0.0,"retries":null,"retry_delay":null,"retry_jitter_factor":null}' as JsonText;
