import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, Unavailable } from '../errors.ts';
import { writeProblem } from './open-problem.ts';

const postgres = 'postgres://ada@db.example:5433/signalbox';

function sentenceOf(url: string, error: unknown): string {
  const problem = writeProblem(url, error);
  assert.ok(problem instanceof ConfigError, String(problem));
  return problem.message;
}

test('a command whose database takes no writes says why, and what to do', () => {
  const right = Object.assign(new Error('permission denied for table flow'), { code: '42501' });
  assert.match(
    sentenceOf(postgres, right),
    /^The user "ada" lacks a right in the database "signalbox": permission denied for table flow\. Grant it/,
  );
  const disk = Object.assign(new Error('could not extend file'), { code: '53100' });
  assert.match(sentenceOf(postgres, disk), /^The disk of PostgreSQL at db\.example:5433 is full/);
  const full = new Unavailable('The database is not available now.', {
    cause: Object.assign(new Error('database or disk is full'), { errcode: 13 }),
  });
  assert.match(
    sentenceOf('sqlite:/data/signalbox.db', full),
    /signalbox\.db cannot grow: the disk is full\. Free some/,
  );
});

test('an error that is not of the database, and one of a database that is busy, stay as they are', () => {
  const busy = new Unavailable('The database is not available now.', {
    cause: Object.assign(new Error('database is locked'), { errcode: 5 }),
  });
  assert.equal(writeProblem('sqlite:/data/signalbox.db', busy), busy);
  const ours = new Error('self-signed certificate');
  assert.equal(writeProblem(postgres, ours), ours);
});
