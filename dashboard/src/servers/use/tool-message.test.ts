import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { headerText, messagesIn } from './tool-message.ts';

const answer = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'data: a\n\nb' }] } };
const progress = { jsonrpc: '2.0', method: 'notifications/progress' };

describe('the messages of an answer', () => {
  test('are the answer itself where it is JSON', () => {
    assert.deepEqual(messagesIn(JSON.stringify(answer), 'application/json'), [answer]);
  });

  test('are the events of a stream, with any line ends and any charset', () => {
    const stream = `event: message\nid: 7\ndata: ${JSON.stringify(progress)}\n\n: keep-alive\n\ndata:${JSON.stringify(answer)}\n\n`;
    for (const text of [stream, stream.replaceAll('\n', '\r\n')]) {
      assert.deepEqual(messagesIn(text, 'text/event-stream; charset=utf-8'), [progress, answer]);
    }
  });

  test('may be written on several lines', () => {
    const lines = JSON.stringify(answer, null, 2)
      .split('\n')
      .map((line) => `data: ${line}\n`)
      .join('');
    assert.deepEqual(messagesIn(`${lines}\n`, 'text/event-stream'), [answer]);
  });

  test('are none in an answer that is something else', () => {
    assert.deepEqual(messagesIn('<html>', 'text/html'), []);
    assert.deepEqual(messagesIn('', 'text/event-stream'), []);
    assert.deepEqual(messagesIn('data: {"half": \n\n', 'text/event-stream'), []);
  });
});

describe('the name of a tool in a header', () => {
  test('is itself where a header can hold it', () => {
    for (const name of ['forecast', 'get weather', 'a=b', '~']) assert.equal(headerText(name), name);
  });

  test('is written in base64 where a header cannot, or would read it as base64', () => {
    for (const name of ['wetter-für-köln', '天気', ' forecast', 'forecast ', 'a\r\nx-evil: 1', '=?base64?eA==?=', '']) {
      const [, encoded = ''] = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(headerText(name)) ?? [];
      assert.equal(Buffer.from(encoded, 'base64').toString('utf8'), name);
    }
  });
});
