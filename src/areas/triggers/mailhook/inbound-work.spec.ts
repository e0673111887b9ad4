import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { specWorkspace } from '../../../../test/support/given/given.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Journal } from '../../../engine/journal/journal.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
import type { ForgottenRuns } from '../../functions/run/storage/forgotten-runs.api.js';
import { firstRunOf, type InboundEmail, type MailRun } from './inbound-email.record.js';
import type { InboundForgetting } from './inbound-forgetting.api.js';
import type { InboundSteps } from './inbound-steps.js';
import { InboundWork } from './inbound-work.js';

const mailId = 'mail_1';

let did: string[];
beforeEach(() => {
  did = [];
});

const runOf = (runId: string, kind: TargetKind): MailRun => ({
  runId,
  target: { kind, ref: 'fn_1' },
  neverDeletes: false,
  accepted: false,
  end: null,
  error: null,
  over: [],
});

/** Attempts a mail whose run the read model shows as waiting. `removed`: its run may have been removed unseen. */
async function attempted({
  removed = true,
  runId = firstRunOf(mailId),
  kind = 'site_function',
}: {
  removed?: boolean;
  runId?: string;
  kind?: TargetKind;
} = {}): Promise<readonly string[]> {
  const mail = {
    id: mailId,
    workspaceId: specWorkspace,
    mailhookId: 'mh_1',
    outcome: 'started',
    open: true,
    position: 7,
  };
  const work = new InboundWork(
    { find: async () => ({ id: 'mh_1' }) } as unknown as CommandRunner,
    {} as Journal,
    {
      start: async () => void did.push('starts it'),
      giveUp: async () => void did.push('gives it up'),
    } as unknown as InboundSteps,
    {} as InboundForgetting,
    {
      mayMiss: async ({ functionId }: { functionId: string }, position: number) =>
        removed && functionId === 'fn_1' && position === 7,
    } as unknown as ForgottenRuns,
    new MadeUpClock(),
  );
  await work.attempt({ ...mail, runs: [runOf(runId, kind)] } as unknown as InboundEmail);
  return did;
}

describe('a mail with a run that waits', () => {
  it('starts it if no run since the mail was removed unseen', async () => {
    expect(await attempted({ removed: false })).toEqual(['starts it']);
  });

  it('gives it up if an earlier version removed runs since the mail, because it may be one of them', async () => {
    expect(await attempted()).toEqual(['gives it up']);
  });

  it('starts it all the same if it was asked for, or runs of its target are removed by their age', async () => {
    await attempted({ runId: 'run_asked' });
    await attempted({ kind: 'account_function' });
    expect(did).toEqual(['starts it', 'starts it']);
  });
});
