import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Messages } from '../../../src/ports/messages.port.js';
import type { TestApp } from '../../support/app.js';
import { activeFunction } from '../../support/automations/flows.js';
import { eventually } from '../../support/eventually.js';
import { hooked } from '../../support/mail/mailhooks.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

// The messages refer to events that the log does not have, as after restoring an older backup.

let app: TestApp;
beforeEach(async () => {
  app = await sharedApp();
});
afterEach(() => app.close());

async function published(topic: string, value: object): Promise<void> {
  const messages = app.app.get(Messages);
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  const position = (await app.app.get(EventStore).head()) + 1e9;
  await messages.publish(topic, { id: 'old', key: `${workspaceId}/old`, value: { ...value, workspaceId, position } });
  // Waits until the message is done. A rejected message would remain waiting.
  await eventually(
    async () => messages.waiting(topic),
    (waiting) => waiting === 0,
  );
}

it('skips a run beyond the end of the log, and no read waits for it', async () => {
  const functionId = await activeFunction(app, 'return 1');
  await published('run-requests', { functionId, runId: 'run_of_another_time' });
  const { status, headers } = await app.call('automations/listRuns', { functionId });
  expect([status, headers.get('x-read-model')]).toEqual([200, null]);
});

it('skips a mail beyond the end of the log, and no read waits for it', async () => {
  const { id: mailhookId } = await hooked(app, 'return 1');
  await published('inbound-mail', { mailhookId, mailId: 'mail_of_another_time' });
  const { status, headers } = await app.call('automations/listInboundEmails', { mailhookId });
  expect([status, headers.get('x-read-model')]).toEqual([200, null]);
});
