import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';

export interface Hooked {
  readonly fnId: string;
  readonly id: string;
  readonly address: string;
}

let made = 0;

/** Creates an active function with a mailhook. */
export async function hooked(app: TestApp, code: string, more: object = {}): Promise<Hooked> {
  const { body: fn } = await app.call('automations/createFunction', { name: `mail ${made++}`, code, ...more });
  await app.call('automations/updateFunction', { id: fn.id, isActive: true });
  const input = { name: 'Orders', targetKind: 'account_function', targetRef: fn.id };
  const { status, body } = await app.call('automations/createMailhook', input);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { fnId: fn.id, id: body.id, address: body.address };
}

export const mailsOf = async (app: TestApp, mailhookId: string) =>
  (await app.call('automations/listInboundEmails', { mailhookId, limit: 100 })).body;

/** Returns the mails of a mailhook, newest first, once there are `count` of them and none is being processed. */
export const settled = (app: TestApp, mailhookId: string, count = 1) =>
  eventually(
    () => mailsOf(app, mailhookId),
    (mails) => mails.length === count && mails.every((mail: { status: string }) => mail.status !== 'received'),
    20_000,
  );

export const runsOf = async (app: TestApp, functionId: string) =>
  (await app.call('automations/listRuns', { functionId })).body;

/** Returns what a run wrote with console.log. */
export async function saidBy(app: TestApp, runId: string) {
  const { body } = await app.call('automations/getRunLog', { runId });
  return body.lines.map((line: { text: string }) => line.text);
}
