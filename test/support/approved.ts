import type { Reply, TestApp } from './app.js';
import { done } from './people.js';

/** Has the Owner approve the card that an answer carries. */
export async function approved(app: TestApp, { status, body }: Reply): Promise<void> {
  if (status !== 202) throw new Error(`No card came of it: ${JSON.stringify(body)}`);
  const { id, hash } = body.pendingChange;
  await done(app, 'approvals/approvePendingChange', { id, hash });
}
