// Engines: one process.
// Second tier.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Provider } from '@nestjs/common';
import fc from 'fast-check';
import { Clock } from '../../../src/ports/clock.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { isShallow, runs } from '../../support/depth.js';
import { done, inOtherWorkspace } from '../../support/people.js';
import { RandomCommands } from '../../support/random-commands/random-commands.js';
import { RecordedAnswers } from '../../support/random-commands/recorded-answers.js';

const clock = new SettableClock();
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ replacements: [{ provide: Clock, useValue: clock }] });
});
afterAll(() => app.close());

/** Runs one random command for each seed, and records what the product answers after each. */
async function answered(own: TestApp, workspaceId: string, seeds: readonly number[]): Promise<RecordedAnswers> {
  const random = new RandomCommands(own);
  const answers = new RecordedAnswers(own, workspaceId, clock);
  for (const seed of seeds) {
    await random.step(seed);
    await answers.look(seed);
  }
  expect(answers.all.length).toBeGreaterThan(seeds.length);
  return answers;
}
/** Restarts the service on the same data without its read models. */
async function withoutReadModels({ app: stopped, dataDir, ownerKey }: TestApp, replacements: readonly Provider[]) {
  await stopped.close();
  for (const file of readdirSync(dataDir)) if (file.startsWith('read.db')) rmSync(join(dataDir, file));
  return startApp({ dataDir, ownerKey, replacements });
}

const sequence = (length: number) =>
  fc.array(fc.noBias(fc.nat()), { minLength: length, maxLength: length, size: 'max' });

describe('getStateAt', () => {
  it('answers for any time what the product answered then, whatever commands came before and after', async () => {
    await fc.assert(
      fc.asyncProperty(sequence(isShallow ? 50 : 100), async (seeds) => {
        const { own, workspaceId } = await inOtherWorkspace(app);
        await (await answered(own, workspaceId, seeds)).hold();
      }),
      { numRuns: runs(20), endOnFailure: true },
    );
  }, 600_000);

  it('answers the same after a rebuild of lost read models and a restart of the service', async () => {
    const replacements = [{ provide: Clock, useValue: clock }];
    const first = await startApp({ replacements });
    const [seeds = []] = fc.sample(sequence(isShallow ? 40 : 80), { numRuns: 1, seed: 17 });
    const { id: workspaceId } = await done(first, 'workspace/getWorkspace');
    const answers = await answered(first, workspaceId, seeds);
    await answers.hold();
    const second = process.env['TEST_ENGINES'] ? await first.restart() : await withoutReadModels(first, replacements);
    await answers.hold(second);
    await second.close();
  }, 120_000);
});
