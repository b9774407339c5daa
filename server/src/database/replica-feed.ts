/**
 * The interface over which processes on one database tell each other what they have committed. Events and logs are read
 * from their tables, each once, however late its transaction commits. Messages of other topics are hints: a process
 * that misses one finds the change at its own next look.
 */
import type { Row } from './tables/tables.ts';

/** Tables whose new rows are passed on. */
export const FOLLOWED = ['event', 'log'] as const;
export type Followed = (typeof FOLLOWED)[number];

export interface Message {
  readonly topic: string;
  readonly subject: unknown;
  readonly what: unknown;
}

/** Receives what other processes have committed, in this process. */
export interface Follower {
  /** The workspaces whose new rows of a table are wanted now. */
  wanted(table: Followed): readonly number[];
  rows<Name extends Followed>(table: Name, workspace: number, rows: readonly Row<Name>[]): void;
  message(message: Message): void;
}

export interface ReplicaFeed {
  /** The name of this process in the rows that it stores. */
  readonly origin: string;
  /** Tells other processes soon that rows were committed. Call it after the commit. */
  rowsCommitted(table: Followed): void;
  /** Tells other processes soon. Call it after the commit. */
  announce(message: Message): void;
  /** Begins to follow. There is one follower in a process. */
  follow(follower: Follower): void;
}

/** The way to the other processes of one server, past the database. What is lost on it is heard from the database. */
export interface Siblings {
  /** Tells them that rows of these tables were committed. */
  tell(origin: string, tables: readonly string[]): void;
  hear(heard: (origin: string, tables: readonly string[]) => void): void;
}
