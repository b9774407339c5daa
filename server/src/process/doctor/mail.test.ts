import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mailConfig,
  PASSWORD,
  privateAuthority,
  startBrokenMailServer,
  startMailServer,
} from '../../../test/support/mail-server.ts';
import { readConfig } from '../../config.ts';
import { examineMail } from './mail.ts';

test('the doctor connects to the mail server and presents the credentials, and sends no mail', async () => {
  const { ca, cert, key } = privateAuthority();
  const mails = await startMailServer({ secure: true, cert, key, authOptional: false });
  const look = (user: string, password: string) =>
    examineMail({
      ...readConfig({}, {}),
      ...mailConfig(`smtps://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${mails.port}`, ca),
    });
  const well = await look('signalbox@mail', PASSWORD);
  assert.deepEqual(well, {
    subject: 'mail',
    state: 'ok',
    says: `127.0.0.1:${mails.port} answers and accepts the credentials.`,
  });
  const wrong = await look('signalbox@mail', 'sesame shut');
  assert.equal(wrong.state, 'problem');
  assert.match(wrong.says, /did not accept the credentials of this server \(535\)/);
  assert.doesNotMatch(JSON.stringify(wrong), /sesame/);
  assert.deepEqual(mails.taken, []);
  await mails.stop();
  const away = await startBrokenMailServer((socket) => socket.destroy());
  const lost = await examineMail({ ...readConfig({}, {}), ...mailConfig(away.url) });
  assert.match(lost.says, /does not accept mail: The connection to the mail server failed\./);
  await away.stop();
  assert.match((await examineMail(readConfig({}, {}))).says, /sends no mail/);
});
