/** The expected requests are those of Prefect's client library 3.9.1, without the images that it adds. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OutboundRequest } from '../../../../outbound/send.ts';
import { discord, mattermost, opsgenie, pagerDuty, sendgrid, slack, teams, twilio } from './services.ts';

const message = { subject: 'Sub <b>& "j"</b>', body: 'Line 1 *x*\nLine <2> & é' };
const bodyOnly = { subject: '', body: 'only body' };

function contentOf({ body }: OutboundRequest) {
  return JSON.parse(body ?? '');
}

function only(requests: readonly OutboundRequest[]): OutboundRequest {
  assert.equal(requests.length, 1);
  return requests[0]!;
}

describe('notifications', () => {
  test('Slack gets an attachment in the colour of its type, with its three special characters escaped', () => {
    const request = only(
      slack({ url: 'https://hooks.slack.com/services/T/B/C', notify_type: 'failure' }, message).requests,
    );
    assert.equal(request.url, 'https://hooks.slack.com/services/T/B/C');
    const { mrkdwn, attachments } = contentOf(request);
    assert.equal(mrkdwn, true);
    assert.equal(attachments[0].title, 'Sub &lt;b&gt;&amp; "j"&lt;/b&gt;');
    assert.equal(attachments[0].text, 'Line 1 *x*\nLine &lt;2&gt; &amp; é');
    assert.equal(attachments[0].color, '#A32037');
    assert.equal(attachments[0].footer, 'Prefect Notifications');
  });

  test('Teams gets an adaptive card', () => {
    const { type, attachments } = contentOf(
      only(teams({ url: 'https://x.logic.azure.com/w', wrap: false }, message).requests),
    );
    assert.equal(type, 'message');
    assert.equal(attachments[0].contentType, 'application/vnd.microsoft.card.adaptive');
    assert.deepEqual(attachments[0].content.body, [
      { type: 'TextBlock', text: message.subject, style: 'heading', weight: 'Bolder', size: 'Large', id: 'title' },
      { type: 'TextBlock', text: message.body, style: 'default', wrap: false, id: 'body' },
    ]);
    assert.equal(
      contentOf(only(teams({ url: 'https://x.y/' }, bodyOnly).requests)).attachments[0].content.body.length,
      1,
    );
  });

  test('Mattermost gets a message for each channel', () => {
    const plain = only(mattermost({ hostname: 'mm.example.com', token: 'tok3n' }, message).requests);
    assert.equal(plain.url, 'http://mm.example.com:8065/hooks/tok3n');
    assert.deepEqual(contentOf(plain), { text: `${message.subject}\r\n${message.body}` });
    const data = {
      hostname: 'mm.example.com',
      token: 't',
      secure: true,
      port: 443,
      botname: 'bot',
      channels: ['#a', 'b'],
      path: '/sub/path',
    };
    const { requests } = mattermost(data, bodyOnly);
    assert.deepEqual(
      requests.map(({ url }) => url),
      Array(2).fill('https://mm.example.com:443/sub/path/hooks/t'),
    );
    assert.deepEqual(requests.map(contentOf), [
      { text: 'only body', username: 'bot', channel: 'a' },
      { text: 'only body', username: 'bot', channel: 'b' },
    ]);
  });

  test("Discord gets the text, cut to Discord's limit", () => {
    const request = only(
      discord({ webhook_id: '123456', webhook_token: 'tokEN', tts: true, botname: 'bot' }, message).requests,
    );
    assert.equal(request.url, 'https://discord.com/api/webhooks/123456/tokEN');
    assert.deepEqual(contentOf(request), {
      tts: true,
      content: `${message.subject}\r\n${message.body}`,
      username: 'bot',
    });
    const long = { subject: '', body: 'x'.repeat(4500) };
    assert.equal(contentOf(only(discord({ webhook_id: '1', webhook_token: 't' }, long).requests)).content.length, 2000);
  });

  test('PagerDuty gets an event that triggers an incident', () => {
    const data = {
      integration_key: 'ikey',
      api_key: 'akey',
      source: 'src',
      component: 'comp',
      group: 'g',
      class_id: 'c',
      region_name: 'eu',
      clickable_url: 'https://x.example/',
      custom_details: { a: '1' },
      notify_type: 'failure',
    };
    const request = only(pagerDuty(data, message).requests);
    assert.equal(request.url, 'https://events.eu.pagerduty.com/v2/enqueue');
    assert.equal(request.headers?.['authorization'], 'Token token=akey');
    assert.deepEqual(contentOf(request), {
      routing_key: 'ikey',
      payload: {
        summary: message.subject,
        severity: 'critical',
        source: 'src',
        component: 'comp',
        group: 'g',
        class: 'c',
        custom_details: { a: '1', 'Prefect Notifications Body': message.body },
      },
      client: 'Prefect Notifications',
      event_action: 'trigger',
      links: [{ href: 'https://x.example/' }],
    });
    const plain = contentOf(only(pagerDuty({ integration_key: 'i', api_key: 'a' }, bodyOnly).requests));
    assert.deepEqual(plain.payload, {
      summary: 'only body',
      severity: 'info',
      source: 'Prefect',
      component: 'Notification',
    });
  });

  test('Opsgenie gets an alert for each responder, or one for all', () => {
    const data = {
      apikey: 'key',
      target_user: ['u1'],
      target_team: ['t1'],
      target_schedule: ['s1'],
      target_escalation: ['e1'],
      region_name: 'eu',
      tags: ['a', 'b'],
      priority: 5,
      alias: 'al',
      entity: 'en',
      details: { k: 'v' },
      notify_type: 'failure',
    };
    const { requests } = opsgenie(data, message);
    const responders = [
      { type: 'team', name: 't1' },
      { type: 'schedule', name: 's1' },
      { type: 'user', username: 'u1' },
      { type: 'escalation', name: 'e1' },
    ];
    assert.deepEqual(
      requests.map((request) => contentOf(request).responders),
      responders.map((responder) => [responder]),
    );
    assert.equal(requests[0]?.url, 'https://api.eu.opsgenie.com/v2/alerts');
    assert.equal(requests[0]?.headers?.['authorization'], 'GenieKey key');
    const { responders: _, ...alert } = contentOf(requests[0]!);
    assert.deepEqual(alert, {
      source: 'Prefect Notifications',
      message: message.subject,
      description: message.body,
      details: { k: 'v', type: 'failure' },
      priority: 'P5',
      tags: ['a', 'b'],
      entity: 'en',
      alias: 'al',
    });
    assert.deepEqual(contentOf(only(opsgenie({ ...data, batch: true }, bodyOnly).requests)).responders, responders);
  });

  test('Twilio gets a form for each number', () => {
    const data = {
      account_sid: 'AC1',
      auth_token: 'aaa',
      from_phone_number: '18001234567',
      to_phone_numbers: ['18004242424', '+1 800 424 2425'],
    };
    const { requests } = twilio(data, message);
    assert.deepEqual(
      requests.map(({ body }) => body),
      ['18004242424', '18004242425'].map(
        (to) =>
          `Body=Sub+%3Cb%3E%26+%22j%22%3C%2Fb%3E%0D%0ALine+1+*x*%0ALine+%3C2%3E+%26+%C3%A9&From=%2B18001234567&To=%2B${to}`,
      ),
    );
    assert.equal(requests[0]?.url, 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json');
    assert.equal(requests[0]?.headers?.['authorization'], `Basic ${Buffer.from('AC1:aaa').toString('base64')}`);
  });

  test('SendGrid gets a mail for each recipient', () => {
    const { requests } = sendgrid(
      { api_key: 'ak', sender_email: 'a@x.com', to_emails: ['b@x.com', 'c@x.com'] },
      message,
    );
    assert.equal(requests.length, 2);
    assert.equal(requests[1]?.headers?.['authorization'], 'Bearer ak');
    assert.deepEqual(contentOf(requests[1]!), {
      personalizations: [{ to: [{ email: 'c@x.com' }] }],
      from: { email: 'a@x.com' },
      subject: message.subject,
      content: [{ type: 'text/html', value: message.body }],
    });
  });
});
