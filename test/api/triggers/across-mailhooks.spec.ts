import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { activeTarget, type TestTarget, targetWords } from '../../support/automations/targets.js';
import { eventually } from '../../support/eventually.js';
import { mailsOf, settled } from '../../support/mail/mailhooks.js';
import { deliver, oneMail } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';
import { type AssistantServer, writes } from '../../support/servers/assistant-server.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';

let assistant: AssistantServer;
let app: OutsideApp;
let port: number;
beforeAll(async () => {
  app = await sharedOutside();
  ({ assistant, smtpPort: port } = app);
  assistant.plays(writes('Seen.'));
}, 60_000);
afterAll(() => app?.close());

const hook = (target: TestTarget, targetKind: string = target.kind) =>
  done(app, 'automations/createMailhook', { name: 'Orders', targetKind, targetRef: target.id });

describe.each(targetWords)('a mailhook of %s', (word) => {
  it('runs it once with the mail, which lists its run and the result', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, address } = await hook(target);
    expect(await deliver(port, address, oneMail('first'))).toMatch(/^250/);
    expect(await deliver(port, address, oneMail('first'))).toMatch(/^250/);
    const [second, first] = await settled(app, id, 2);
    const [run] = await target.over();
    expect(first).toMatchObject({ status: 'ok', error: null, runId: run?.id, runIds: [run?.id] });
    expect(second).toMatchObject({ status: 'duplicate', duplicateOf: first.id, runId: run?.id });
    expect(run).toMatchObject({ status: 'success', error: null, source: 'event', startedBy: 'Mailhook Orders' });
    expect(await target.inputs()).toMatchObject([
      { messageId: '<first@example.com>', subject: 'first', from: { address: 'ada@example.com' }, attachments: [] },
    ]);
    const { mailhooks } = await done(app, 'automations/listMailhooks');
    const shown = mailhooks.find((mailhook: { id: string }) => mailhook.id === id);
    expect(shown).toMatchObject({ targetKind: target.kind, receivedCount: 2, lastReceivedAt: second.receivedAt });
  });

  it('runs it again with a mail, as a further run of that mail', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, address } = await hook(target);
    await deliver(port, address, oneMail('again'));
    const [mail] = await settled(app, id);
    const { runId } = await done(app, 'automations/rerunInboundEmail', { id: mail.id });
    const [shown] = await eventually(
      () => mailsOf(app, id),
      ([{ runIds, status }]) => runIds.length === 2 && status === 'ok',
      30_000,
    );
    expect(shown).toMatchObject({ runId, runIds: [mail.runId, runId] });
    expect((await target.over(2)).map((run) => run.id)).toContain(runId);
  });

  it('that is inactive makes a failed run, and a failed mail, with that reason', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, address } = await hook(target);
    await target.switchOff();
    await deliver(port, address, oneMail('asleep'));
    const [mail] = await settled(app, id);
    const [run] = await target.over();
    const why = { error: expect.stringContaining('target is INACTIVE') };
    expect(mail).toMatchObject({ status: 'failed', runId: run?.id, ...why });
    expect(run).toMatchObject({ status: 'error', ...why });
    expect(await target.inputs()).toEqual([]);
  });

  it('is deleted with it, and its address accepts no more', async () => {
    const target = await activeTarget(app, word, assistant);
    const { id, address } = await hook(target);
    await target.remove();
    await eventually(
      () => app.call('automations/updateMailhook', { id, isActive: false }),
      ({ status }) => status === 404,
    );
    expect(await deliver(port, address, oneMail('late'))).toMatch(/^550/);
  });
});

describe('the two words for an AI agent', () => {
  it('are both accepted, and answers use the word of automations', async () => {
    const target = await activeTarget(app, 'an agent', assistant);
    const made = await hook(target, 'agent');
    expect(made).toMatchObject({ targetKind: 'specialist', targetRef: target.id });
    const other = await activeTarget(app, 'an agent', assistant);
    const changed = { id: made.id, targetKind: 'agent', targetRef: other.id };
    expect(await done(app, 'automations/updateMailhook', changed)).toMatchObject({
      targetKind: 'specialist',
      targetRef: other.id,
    });
  });
});
