import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../kernel/json/json.js';
import { MailError } from '../../../ports/network/mail.port.js';
import type { RequestedMail } from '../../mailboxes/mail/mail-request.api.js';
import type { Mailboxes } from '../../mailboxes/mail/mailboxes.api.js';
import { SendMailStep } from './send-mail-step.js';
import { type FlowStepInHand, UnfitValue } from './step-doer.js';

function scene(input: JsonObject, trouble?: Error) {
  const sent: unknown[] = [];
  const send = async (workspaceId: string, mailbox: string | undefined, mail: RequestedMail, cause: object) => {
    if (trouble !== undefined) throw trouble;
    sent.push([workspaceId, mailbox, mail, cause]);
    return { messageId: '<1@spec>', fromNameOverridden: false, refused: [] };
  };
  const step = {
    inHand: { run: { id: 'run_1', correlationId: 'c' } },
    flow: { workspaceId: 'ws_1' },
    actor: { kind: 'flow', id: 'flow_1', name: 'Spec' },
    filling: { values: { input } },
  } as unknown as FlowStepInHand;
  return { sent, step, mails: new SendMailStep({ send } as unknown as Mailboxes) };
}

const subject = 'Order {{input.id}}';

describe('a mail that a flow sends', () => {
  it('is sent through the named mailbox, with the values of the run, as the flow', async () => {
    const { sent, step, mails } = scene({ id: 7, who: ['a@x.test', 'b@x.test'] });
    const settings = { mailbox: 'Sales', to: '{{input.who}}', replyTo: 'r{{input.id}}@x.test', subject, text: 'Hi' };
    expect(await mails.do(settings, step)).toEqual({
      output: { messageId: '<1@spec>', refused: [] },
      note: { messageId: '<1@spec>' },
    });
    expect(sent).toEqual([
      [
        'ws_1',
        'Sales',
        { to: ['a@x.test', 'b@x.test'], replyTo: 'r7@x.test', subject: 'Order 7', text: 'Hi' },
        {
          actor: { kind: 'flow', id: 'flow_1', name: 'Spec' },
          operation: 'flows/sendMail',
          correlationId: 'c',
          causationId: 'run_1',
          siteId: null,
        },
      ],
    ]);
  });

  it('escapes values in a page, except for a page that is one value', async () => {
    const { sent, step, mails } = scene({ id: '<b>"&\'', page: '<p>made</p>' });
    await mails.do({ to: 'a@x.test', subject: 's', html: '<p title="{{input.id}}">{{input.id}}</p>' }, step);
    await mails.do({ to: 'a@x.test', subject: 's', html: '{{input.page}}' }, step);
    const escaped = '&lt;b&gt;&quot;&amp;&#39;';
    expect(sent.map((one) => (one as [string, string, RequestedMail])[2].html)).toEqual([
      `<p title="${escaped}">${escaped}</p>`,
      '<p>made</p>',
    ]);
  });

  it('is not sent to anything that is not a text', async () => {
    const { step, mails } = scene({ who: { a: 1 } });
    await expect(mails.do({ to: '{{input.who}}', subject: 's', text: 't' }, step)).rejects.toThrow(UnfitValue);
  });

  it.each([true, false])('is retried if it certainly was not sent: %s', async (surelyNotSent) => {
    const { step, mails } = scene({}, new MailError('lost', 'It was cut off.', surelyNotSent));
    expect(await mails.do({ to: 'a@x.test', subject: 's', text: 't' }, step)).toEqual({
      error: 'It was cut off.',
      final: !surelyNotSent,
    });
  });
});
