import { AiCredits } from '../areas/workspace/credits/ai-credits.api.js';
import { OperatorPlans } from '../areas/workspace/workspace/operator-plans.api.js';
import { plans } from '../areas/workspace/workspace/workspace.record.js';
import { besideService } from './beside-service.js';
import { given } from './flags.js';
import type { Invocation } from './invocation.js';

/**
 * Maximum amount of one command. Larger amounts are probably typing errors, and a recorded amount cannot be taken back.
 */
const mostCredits = 1_000_000;

export async function setPlanCommand({ flags, environment, console }: Invocation): Promise<number> {
  const workspaceId = given(flags, 'workspace');
  const plan = plans.find((known) => known === flags['plan']);
  if (plan === undefined) throw new Error(`--plan must be one of: ${plans.join(', ')}.`);
  await besideService(environment, OperatorPlans, (operator) => operator.set(workspaceId, plan));
  console.out(JSON.stringify({ workspaceId, plan }));
  return 0;
}

export async function addCreditsCommand({ flags, environment, console }: Invocation): Promise<number> {
  const workspaceId = given(flags, 'workspace');
  const amount = Number(given(flags, 'amount'));
  if (!/^\d+$/.test(given(flags, 'amount')) || amount < 1 || amount > mostCredits) {
    throw new Error(`--amount must be a whole number from 1 to ${mostCredits}.`);
  }
  const aiCredits = await besideService(environment, AiCredits, (credits) => credits.add(workspaceId, amount));
  console.out(JSON.stringify({ workspaceId, aiCredits }));
  return 0;
}
