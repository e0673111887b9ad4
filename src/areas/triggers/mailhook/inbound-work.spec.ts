import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { specWorkspace } from '../../../../test/support/given/given.js';
import type { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Journal } from '../../../engine/journal/journal.js';
import type { TargetKind } from '../../../kernel/callers/target.js';
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

/** Attempts a mail at position 7 whose run the read model shows as waiting. `first` is the first entry of the journal. */
async function attempted(
  first: { readonly revision: number; readonly position: number } | undefined,
  { runId = firstRunOf(mailId), kind = 'site_function' }: { runId?: string; kind?: TargetKind } = {},
): Promise<readonly string[]> {
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
    { at: async () => first } as unknown as Journal,
    {
      start: async () => void did.push('starts it'),
      giveUp: async () => void did.push('gives it up'),
    } as unknown as InboundSteps,
    {} as InboundForgetting,
    new MadeUpClock(),
  );
  await work.attempt({ ...mail, runs: [runOf(runId, kind)] } as unknown as InboundEmail);
  return did;
}

describe('a mail with a run that waits', () => {
  it('starts it if its function has no runs, or all of them are recorded', async () => {
    expect(await attempted(undefined)).toEqual(['starts it']);
    expect(await attempted({ revision: 0, position: 9 })).toEqual(['starts it', 'starts it']);
  });

  it('starts it if only runs from before the mail were removed', async () => {
    expect(await attempted({ revision: 4, position: 6 })).toEqual(['starts it']);
  });

  it('gives it up if runs since the mail were removed, because it may be one of them', async () => {
    expect(await attempted({ revision: 4, position: 9 })).toEqual(['gives it up']);
  });

  it('starts it all the same if it was asked for, or runs of its target are removed by their age', async () => {
    await attempted({ revision: 4, position: 9 }, { runId: 'run_asked' });
    await attempted({ revision: 4, position: 9 }, { kind: 'account_function' });
    expect(did).toEqual(['starts it', 'starts it']);
  });
});
