import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import '../../../src/app.module.js';
import { allOperations } from '../../../src/engine/operation/operation.js';
import type { TestApp } from '../../support/app.js';
import { isShallow } from '../../support/depth.js';
import { moves, RandomCommands, type Step, withoutMoves } from '../../support/random-commands/random-commands.js';
import { sharedApp } from '../../support/shared-app.js';

/** Length of the sequence, and the number of operations that must succeed in it. Later steps reach few new ones. */
const [length, reached] = isShallow ? [250, 105] : [700, 135];

const commands = () => allOperations().flatMap(({ name, effect }) => (effect === 'command' ? [name] : []));

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

describe('the random commands', () => {
  it('include every command, or state what it would need', () => {
    const known = [...new Set(moves.map(({ operation }) => operation)), ...Object.keys(withoutMoves)];
    expect(known.filter((name) => !name.startsWith('visitor/')).sort()).toEqual([...commands()].sort());
    expect(moves.filter(({ operation }) => !operation.startsWith('visitor/')).length).toBeGreaterThanOrEqual(130);
  });

  it('run most of them in one sequence, and nothing breaks', async () => {
    const random = new RandomCommands(app);
    const steps: Step[] = [];
    for (let seed = 1; seed <= length; seed += 1) steps.push(await random.step(seed));
    const broken = steps.filter(({ status }) => status >= 500);
    expect(broken).toEqual([]);
    expect([...random.done.keys()].filter((name) => !name.startsWith('visitor/')).length).toBeGreaterThanOrEqual(
      reached,
    );
    const refused = steps.filter(({ status }) => status >= 400);
    expect(refused.length).toBeLessThan(steps.length / 4);
    // Long enough for 700 commands on a slow machine.
  }, 240_000);
});
