import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AiCredits } from '../../../src/areas/workspace/credits/ai-credits.api.js';
import type { TestApp } from '../../support/app.js';
import { creditsShown, creditUse, leaveCredits } from '../../support/automations/credits.js';
import { eventually } from '../../support/eventually.js';
import { type Processes, startProcesses } from '../../support/processes.js';

describe('AI credits of two processes on the same engines', () => {
  let processes: Processes;
  let apps: readonly TestApp[];
  beforeAll(async () => {
    processes = await startProcesses();
    apps = [await processes.start('all'), await processes.start('all')];
  }, 60_000);
  afterAll(() => processes.close());

  it('are not overdrawn by simultaneous work in both, and are all spent', async () => {
    const [first, second] = apps as [TestApp, TestApp];
    await leaveCredits(first, 15);
    let worked = 0;
    const spend = async (app: TestApp) => app.app.get(AiCredits).spend(await creditUse(app), async () => worked++);
    const answers = await Promise.all([first, second].flatMap((app) => Array.from({ length: 15 }, () => spend(app))));
    expect(answers.filter((answer) => answer === 'used-up')).toHaveLength(15);
    expect(worked).toBe(15);
    for (const app of apps)
      await eventually(
        () => creditsShown(app),
        (left) => left === 0,
      );
  }, 60_000);
});
