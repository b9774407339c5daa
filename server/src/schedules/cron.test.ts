import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cronFault, parseCron } from './cron.ts';

// The reference server 3.9.1 accepts or refuses each of these.
const taken = [
  '* * * * *',
  '*\t*  * * * ',
  '@hourly',
  '@DAILY',
  '@annually',
  '* * * * * */5',
  '* * * * * * 2020-2030/2',
  '0 0 * jan-feb,4 MON-FRI',
  '0 0 l,1 * *',
  '0 0 ? * 7',
  '0 0 * * l5,l1',
  '0 0 * * fri#2,1#1',
  '5/10 22-2 28-2 nov-feb sat-sun',
  '*/61 007 1/40 */13 0-7',
  '0 0 31 2 *',
];
const refused = [
  '',
  'not a cron',
  '* * *',
  '* * * * * * * *',
  '@reboot',
  ' @daily',
  '60 * * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 * 13 *',
  '0 0 * * 8',
  '* * * * * 60',
  '* * * * * * 2100',
  '*/0 * * * *',
  '1, 2 * * * *',
  ',1 * * * *',
  '1- * * * *',
  '1-3-5 * * * *',
  '1/2/3 * * * *',
  '*-5 * * * *',
  '? * * * *',
  '0 0 ?,1 * *',
  '0 0 * * monday',
  '* * jan * *',
  '0 0 * * L',
  '0 0 l-3 * *',
  '0 0 * * 5L',
  '* * * * 1#6',
  '* * * * 1#1,2',
  'H * * * *',
];

describe('cron texts', () => {
  for (const text of taken) {
    test(`'${text}' is accepted`, () => assert.equal(cronFault(text), undefined));
  }

  for (const text of refused) {
    test(`'${text}' is refused`, () => assert.equal(cronFault(text), `Invalid cron string: "${text}"`));
  }

  test('random fields are refused by name', () => {
    for (const text of ['R * * * *', 'r(0-10) * * * *', '0 0 * * R']) {
      assert.equal(cronFault(text), `Random and Hashed expressions are unsupported, received: "${text}"`);
    }
  });

  test('ranges wrap around, and Sunday is 0 and 7', () => {
    const cron = parseCron('50-10/5 22-1 30-2 nov-feb fri-1');
    assert.deepEqual(cron?.minutes, [0, 5, 10, 50, 55]);
    assert.deepEqual(cron?.hours, [0, 1, 22, 23]);
    assert.deepEqual(cron?.daysOfMonth, [1, 2, 30, 31]);
    assert.deepEqual(cron?.months, [1, 2, 11, 12]);
    assert.deepEqual(cron?.weekdays, [0, 1, 5, 6]);
    assert.deepEqual(parseCron('0 0 * * 5-7')?.weekdays, [0, 5, 6]);
    assert.deepEqual(parseCron('0 0 * * */2')?.weekdays, [0, 2, 4, 6]);
  });

  test('a step from the last value of a field goes all the way round', () => {
    const cron = parseCron('59/20 23/6 31/10 12/5 6/3');
    assert.deepEqual(cron?.minutes, [0, 20, 40]);
    assert.deepEqual(cron?.hours, [0, 6, 12, 18]);
    assert.deepEqual(cron?.daysOfMonth, [1, 11, 21, 31]);
    assert.deepEqual(cron?.months, [1, 6, 11]);
    assert.deepEqual(cron?.weekdays, [0, 3, 6]);
    assert.deepEqual(parseCron('58/20 * * * *')?.minutes, [58]);
  });

  test('seconds and years come last', () => {
    assert.deepEqual(parseCron('* * * * *')?.seconds, [0]);
    assert.equal(parseCron('* * * * *')?.years, undefined);
    const cron = parseCron('* * * * * 30 2030,2031');
    assert.deepEqual(cron?.seconds, [30]);
    assert.deepEqual(cron?.years, [2030, 2031]);
  });

  test('the last day of a month and numbered weekdays differ from plain ones', () => {
    const cron = parseCron('0 0 15,l * fri#2,l7');
    assert.deepEqual(cron?.daysOfMonth, [15]);
    assert.equal(cron?.lastDayOfMonth, true);
    assert.deepEqual(cron?.weekdays, []);
    assert.deepEqual(cron?.nthWeekdays, [
      { weekday: 5, nth: 2 },
      { weekday: 0, nth: 'last' },
    ]);
    assert.equal(cron?.anyDayOfMonth, false);
    assert.equal(parseCron('0 0 ? * 1')?.anyDayOfMonth, true);
  });
});
