/** Connects the hub of a process with those of the other processes on the database. */
import { FOLLOWED, type Followed, type ReplicaFeed } from '../database/replica-feed.ts';
import type { Hub, TopicName } from './hub.ts';

const TOPICS = { event: 'events', log: 'logs' } as const satisfies Record<Followed, TopicName>;

/** Sends each message of this process to the other processes. */
export function announceTo(feed: ReplicaFeed, hub: Hub): void {
  hub.passOn((topic, subject, whats) => {
    // Each process gathers the changes for its own pages.
    if (topic === 'changes') return;
    const table = FOLLOWED.find((one) => TOPICS[one] === topic);
    if (table) return feed.rowsCommitted(table);
    // A service that runs here does the work.
    if (topic === 'work' && hub.subjectsOf('work').includes(subject as never)) return;
    for (const what of whats) feed.announce({ topic, subject, what });
  });
}

/** Delivers the messages of other processes in this one. */
export function followFrom(feed: ReplicaFeed, hub: Hub): void {
  feed.follow({
    wanted: (table) => hub.subjectsOf(TOPICS[table]),
    rows: (table, workspace, rows) => hub.tellHere(TOPICS[table], workspace, ...(rows as never[])),
    message: ({ topic, subject, what }) =>
      hub.tellHere(topic as TopicName, subject as never, (what ?? undefined) as never),
  });
}
