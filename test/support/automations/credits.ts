import { AiCredits, type CreditUse } from '../../../src/areas/workspace/credits/ai-credits.api.js';
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

/** Spends credits until this many are left. */
export async function leaveCredits(app: TestApp, left: number): Promise<void> {
  const credits = app.app.get(AiCredits);
  for (let now = await creditsShown(app); now > left; now--) {
    await credits.spend(await creditUse(app), async () => undefined);
  }
}
