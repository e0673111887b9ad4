import type { Reply, TestApp } from './app.js';
import { done } from './people.js';

/** Approves, as the Owner, the card in a response. */
export async function approved(app: TestApp, { status, body }: Reply): Promise<void> {
  if (status !== 202) throw new Error(`No card came of it: ${JSON.stringify(body)}`);
  const { id, hash } = body.pendingChange;
  await done(app, 'approvals/approvePendingChange', { id, hash });
}
