import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settings } from '../all.ts';
import { holdsSecret, shownValue } from './shown.ts';

test('the password in an address is hidden, however it is spelt, and the rest is shown', () => {
  const hidden = {
    'postgres://u:hunter2@db:5433/x?sslmode=disable': 'postgres://u:********@db:5433/x?sslmode=disable',
    'postgresql+asyncpg://u:hunter2@db/x': 'postgresql+asyncpg://u:********@db/x',
    'postgres://u:hunter2/@?#:hunter2@db/x': 'postgres://u:********@db/x',
    'postgres://:hunter2@db/x': 'postgres://:********@db/x',
    'postgres://u:hunt\ner2@db/x': 'postgres://u:********@db/x',
    'postgres://u@db/x?password=hunter2&a=b': 'postgres://u@db/x?password=********&a=b',
    'POSTGRES://U:hunter2@DB/x?sslPassword=hunter2': 'POSTGRES://U:********@DB/x?sslPassword=********',
  };
  for (const [address, shown] of Object.entries(hidden)) {
    assert.equal(shownValue(settings.databaseUrl, address), shown);
    assert.ok(holdsSecret(settings.databaseUrl, address));
  }
  for (const plain of [
    '',
    'sqlite:/a/b.db',
    'sqlite:///c:d@e.db',
    'postgres://u@db:5433/x',
    'postgres:///x?host=/run',
  ]) {
    assert.equal(shownValue(settings.databaseUrl, plain), plain);
    assert.ok(!holdsSecret(settings.databaseUrl, plain));
  }
});

test('other secrets are hidden as a whole, and passwords in settings that are not secret as well', () => {
  assert.equal(shownValue(settings.apiAuthString, 'admin:hunter2'), '********');
  assert.equal(shownValue(settings.apiAuthString, ''), '');
  assert.equal(shownValue(settings.publicUrl, 'https://a:hunter2@sb.example'), 'https://a:********@sb.example');
  assert.equal(shownValue(settings.publicUrl, 'https://sb.example:8443'), 'https://sb.example:8443');
});
