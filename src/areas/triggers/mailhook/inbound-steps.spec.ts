import { expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { EventStoreInMemory } from '../../../../test/support/given/event-store-in-memory.js';
import { uncounted } from '../../../../test/support/given/uncounted.js';
import { SystemIds } from '../../../adapters/system/system-ids.adapter.js';
import type { Environment } from '../../../config/environment.js';
import { Journal } from '../../../engine/journal/journal.js';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import type { Reads } from '../../../engine/scopes/reads.js';
import type { TargetStart, Targets } from '../../../engine/scopes/targets.js';
import type { Blobs } from '../../../ports/blobs.port.js';
import type { MailParser, ParsedMail } from '../../../ports/offloaded/mail-parser.port.js';
import type { Vault } from '../../../ports/vault.port.js';
import type { InboundEmail } from './inbound-email.record.js';
import { InboundJournal } from './inbound-journal.api.js';
import { InboundSteps } from './inbound-steps.js';
import type { Mailhook } from './mailhook.record.js';

const parsed: ParsedMail = {
  messageId: null,
  from: null,
  to: [],
  cc: [],
  subject: '',
  text: 'Hello',
  html: null,
  truncated: false,
  headers: [],
  attachments: [],
};
const mail = {
  id: 'mail_1',
  workspaceId: 'ws',
  mailhookId: 'mh_1',
  messageKey: 'key',
  skip: null,
  receivedAt: '2026-01-01T00:00:00.000Z',
} as InboundEmail;
const mailhook = (targetRef: string) =>
  ({ id: 'mh_1', name: 'Orders', keepInput: true, targetKind: 'account_function', targetRef }) as Mailhook;

it('a mail starts the target that was recorded, although a crash followed and the mailhook has another one since', async () => {
  const clock = new MadeUpClock();
  const readYourWrites = new ReadYourWrites(clock, new ReadModels([]), {} as Environment);
  const journal = new Journal(new EventStoreInMemory(), clock, readYourWrites, new SystemIds(clock), uncounted);
  const started: string[] = [];
  let isCrashing = true;
  const targets = {
    isOn: async () => true,
    start: async ([{ target, runId }]: readonly [TargetStart]) => {
      if (isCrashing) throw new Error('The process died.');
      started.push(`${target.ref} as ${runId}`);
    },
  } as unknown as Targets;
  const steps = new InboundSteps(
    { find: async () => [mail] } as unknown as Reads,
    new InboundJournal(journal),
    targets,
    { parse: async () => parsed } as unknown as MailParser,
    { open: async () => Buffer.from('mail') } as unknown as Blobs,
    { seal: async () => undefined } as unknown as Vault,
    { runRetentionDays: 1 } as Environment,
  );
  await expect(steps.settle(mail, mailhook('fn_1'))).rejects.toThrow('The process died.');
  isCrashing = false;
  await steps.settle(mail, mailhook('fn_2'));
  expect(started).toEqual([expect.stringMatching(/^fn_1 as run_/)]);
});
