import type { CreditUse } from '../../../src/areas/workspace/credits/ai-credits.api.js';
import {
  type CreditsEvent,
  creditsLeft,
  creditsOfWorkspace,
  firstCredits,
} from '../../../src/areas/workspace/credits/credits.record.js';
import { CommandRunner } from '../../../src/engine/commands/command-runner.js';
import { Calls } from '../../../src/engine/operation/calls.js';
import { metadataOf } from '../../../src/engine/operation/operation-context.js';
import type { TestApp } from '../app.js';
import { done } from '../people.js';

let made = 0;

/** Returns the AI credits that the Owner sees. */
export const creditsShown = async (app: TestApp): Promise<number> =>
  (await done(app, 'workspace/getWorkspace')).aiCredits;

/** Creates a use of credits, as a command of the Owner would request it. */
export async function creditUse(app: TestApp, mayComeAgain = false): Promise<CreditUse> {
  const { id, me } = await done(app, 'workspace/getWorkspace');
  const actor = { kind: 'person', id: me.id, name: me.name } as const;
  const call = app.app.get(Calls).once(id, actor, 'test/spend');
  return { id: `use_${made++}`, by: metadataOf(call), mayComeAgain };
}

/** Records at once as many spent credits as leave this many. */
export async function leaveCredits(app: TestApp, left: number): Promise<void> {
  const { id, me } = await done(app, 'workspace/getWorkspace');
  const call = app.app.get(Calls).once(id, { kind: 'person', id: me.id, name: me.name }, 'test/spend');
  const spent = (n: number): readonly CreditsEvent[] => {
    const reservation = `${call.commandId}/${n}`;
    return [
      { type: 'CreditReserved', data: { reservation, until: new Date(Date.parse(call.at) + 60_000).toISOString() } },
      { type: 'CreditCharged', data: { reservation } },
    ];
  };
  await app.app.get(CommandRunner).change(call, {
    aggregate: creditsOfWorkspace,
    id,
    decide: (credits) => [
      ...(credits === undefined ? [{ type: 'CreditsOpened' as const, data: { amount: firstCredits } }] : []),
      ...Array.from({ length: creditsLeft(credits, call.at) - left }, (_, n) => spent(n)).flat(),
    ],
  });
}
