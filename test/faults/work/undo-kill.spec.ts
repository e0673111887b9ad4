import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

let dataDir: string;
let service: ServiceProcess;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-undo-kill-'));
});
afterEach(async () => {
  await service?.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const schedules = 12;

async function done(operation: string, body: object) {
  const { status, body: answer } = await service.call(operation, body);
  expect([operation, status, answer.detail]).toEqual([operation, 200, undefined]);
  return answer;
}

const history = async (kind: string, id: string): Promise<readonly { readonly type: string; position: number }[]> =>
  (await done('audit/getHistory', { kind, id, limit: 200 })).events;
const types = async (kind: string, id: string) => (await history(kind, id)).map(({ type }) => type);

interface Trigger {
  readonly kind: 'schedule' | 'webhook' | 'mailhook';
  readonly id: string;
}

async function withTriggers(functionId: string): Promise<readonly Trigger[]> {
  const target = { targetKind: 'account_function', targetRef: functionId };
  const webhook = await done('automations/createWebhook', { functionId });
  const mailhook = await done('automations/createMailhook', { name: 'Undo mail', ...target });
  const triggers: Trigger[] = [
    { kind: 'webhook', id: webhook.id },
    { kind: 'mailhook', id: mailhook.id },
  ];
  for (let minute = 0; minute < schedules; minute++) {
    const { id } = await done('automations/createSchedule', { functionId, cronExpression: `${minute} 3 1 1 *` });
    triggers.push({ kind: 'schedule', id });
  }
  return triggers;
}

const ended = { schedule: 'ScheduleDeleted', webhook: 'WebhookDeleted', mailhook: 'MailhookDeleted' } as const;
const restored = { schedule: 'ScheduleRestored', webhook: 'WebhookRestored', mailhook: 'MailhookRestored' } as const;

const brought = async (triggers: readonly Trigger[]): Promise<number> => {
  const all = await Promise.all(triggers.map(({ kind, id }) => types(kind, id)));
  return all.flat().filter((type) => type.endsWith('Restored')).length;
};

describe('a service that is killed after a function was restored', () => {
  // The number of triggers that are back before the kill. 0 kills it as soon as the undo is answered.
  it.each([0, 1, 5])(
    'restores all of its triggers at its next start, once each: killed at %i',
    async (at) => {
      service = await startServiceProcess({ dataDir });
      const { id } = await done('automations/createFunction', { name: 'Killed', code: 'return params' });
      await done('automations/updateFunction', { id, isActive: true });
      const triggers = await withTriggers(id);
      await done('automations/deleteFunction', { id });
      for (const { kind, id: one } of triggers) {
        await eventually(
          () => types(kind, one),
          (all) => all.at(-1) === ended[kind],
          60_000,
        );
      }
      const position = (await history('function', id)).at(-1)?.position;
      await done('audit/undoChange', { position });
      if (at > 0) {
        await eventually(
          () => brought(triggers),
          (count) => count >= at,
          60_000,
        );
      }
      await service.end('SIGKILL');

      service = await startServiceProcess({ dataDir });
      await eventually(
        () => brought(triggers),
        (count) => count >= triggers.length,
        60_000,
      );
      for (const { kind, id: one } of triggers) {
        expect((await types(kind, one)).slice(-2)).toEqual([ended[kind], restored[kind]]);
      }
      const listed = await eventually(
        () => done('automations/listTriggers', { functionId: id }),
        (answer) => answer.schedules.length === schedules,
        60_000,
      );
      expect(listed.webhooks).toHaveLength(1);
    },
    180_000,
  );
});
