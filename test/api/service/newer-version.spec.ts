// Second tier.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordKind } from '../../../src/kernel/record/record.js';
import { declareKind } from '../../../src/kernel/record/understanding.js';
import { RecordedLog } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/mail/free-port.js';
import { hooked, mailsOf, runsOf, settled } from '../../support/mail/mailhooks.js';
import { mailOf, ordinary } from '../../support/mail/mails.js';
import { deliver } from '../../support/mail/smtp-client.js';
import { done } from '../../support/people.js';

let app: TestApp;
let port: number;
let workspaceId: string;
beforeAll(async () => {
  port = await freePort();
  app = await startApp({ environment: { SMTP_IN_PORT: String(port) } });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  await done(app, 'workspace/updateSettings', { versions: false });
});
afterAll(() => app.close());

/** Appends an event of a type that only a newer version knows. */
async function newerVersionRecords(category: string, id: string, type: string, mustUnderstand?: true): Promise<void> {
  const metadata = {
    workspaceId,
    actor: { kind: 'person' as const, id: 'mem_1', name: 'Ann' },
    correlationId: randomUUID(),
    causationId: null,
    commandId: randomUUID(),
    operation: 'automations/labelFunction',
    at: new Date().toISOString(),
    ...(mustUnderstand && { mustUnderstand }),
  };
  const events = [{ id: randomUUID(), type, data: { label: 'red' }, metadata }];
  await app.app.get(RecordedLog).append([{ stream: `${category}-${workspaceId}.${id}`, expected: 'any', events }]);
}

/** Makes this process know the type, as the newer version would. */
function learn(category: string, type: string): void {
  declareKind(category, [...(recordKind(category)?.types ?? []), type]);
}

const functionMade = async (name: string) => {
  const { id } = await done(app, 'automations/createFunction', { name, code: 'return params.n' });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  const { token } = await done(app, 'automations/createWebhook', { functionId: id });
  const path = `/api/automations/functions/webhook/${token}`;
  const fire = () =>
    app.send('POST', path, '{"n":41}', { 'content-type': 'application/json', prefer: 'respond-async' });
  return { id, fire };
};

const refused = { status: 503, body: { code: 'newer-version-needed' } };
const startsOf = (parts: Record<string, string>) => parts['readModels'];

describe('an event of a type that only a newer version knows', () => {
  it('does not affect its record: it can be called, changed and mailed to as before', async () => {
    const { id, fire } = await functionMade('labelled');
    await newerVersionRecords('function', id, 'FunctionPainted');
    expect((await fire()).status).toBe(202);
    await eventually(
      () => runsOf(app, id),
      ([run]) => run?.status === 'success',
    );
    expect(await done(app, 'automations/updateFunction', { id, description: 'x' })).toMatchObject({ description: 'x' });
    const hook = await hooked(app, 'return 1');
    await newerVersionRecords('mailhook', hook.id, 'MailhookPainted');
    expect(await deliver(port, hook.address, mailOf(ordinary()))).toMatch(/^250/);
    expect(await settled(app, hook.id)).toMatchObject([{ status: 'ok' }]);
  });

  it('does not make a record that begins with it look deleted', async () => {
    await newerVersionRecords('function', 'fn_imported', 'FunctionImported');
    const call = (operation: string, body: object) =>
      app.call(`automations/${operation}`, { id: 'fn_imported', ...body });
    expect(await call('updateFunction', { description: 'x' })).toMatchObject(refused);
    await newerVersionRecords('function', 'fn_imported', 'FunctionPainted');
    expect(await call('deleteFunction', {})).toMatchObject(refused);
  });

  it('makes the work of its record wait if it must be understood, but not that of others', async () => {
    const { id, fire } = await functionMade('kept waiting');
    const other = await functionMade('another');
    const hook = await hooked(app, 'return 1');
    await newerVersionRecords('mailhook', hook.id, 'MailhookLocked', true);
    expect(await deliver(port, hook.address, mailOf(ordinary()))).toMatch(/^250|^4/);
    await newerVersionRecords('function', id, 'FunctionLocked', true);
    const called = await app.call('automations/invokeFunction', { id, event: { n: 1 } });
    expect(called).toMatchObject(refused);
    expect(called.headers.get('retry-after')).toBe('30');
    expect(JSON.stringify(called.body)).not.toContain(workspaceId);
    expect(await app.call('automations/updateFunction', { id, description: 'y' })).toMatchObject(refused);
    expect(await app.call('automations/deleteFunction', { id })).toMatchObject(refused);
    expect(await app.call('audit/getHistory', { kind: 'function', id })).toMatchObject(refused);
    // A list of events acts on no record, so it still works.
    expect((await app.call('audit/listEvents', { kind: 'function', id })).status).toBe(200);
    expect((await other.fire()).status).toBe(202);
    await eventually(
      () => runsOf(app, other.id),
      ([run]) => run?.status === 'success',
    );
    const accepted = await fire();
    expect([202, 503]).toContain(accepted.status);
    const told = await app.send('GET', '/readyz');
    expect(told.status).toBe(200);
    expect(startsOf(told.body.parts ?? told.body)).toMatch(
      /newer version, which this version must not skip: .*functions/,
    );
    expect((told.body.parts ?? told.body).sagas).toMatch(/a newer version recorded (Function|Mailhook)Locked of /);
    const open = await mailsOf(app, hook.id);
    learn('function', 'FunctionLocked');
    learn('mailhook', 'MailhookLocked');
    if (accepted.status === 202) {
      await eventually(
        () => runsOf(app, id),
        ([run]) => run?.status === 'success',
      );
    }
    await eventually(
      () => app.call('automations/updateFunction', { id, description: 'y' }),
      ({ status }) => status === 200,
    );
    await eventually(
      () => app.send('GET', '/readyz'),
      ({ body }) => startsOf(body.parts ?? body) === 'ok',
    );
    if (open.length > 0) expect(await settled(app, hook.id)).toMatchObject([{ status: 'ok' }]);
  }, 60_000);
});
