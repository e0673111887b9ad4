import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { takes } from '../../../test/support/clocks/delays.js';
import { requestOf, StepScene, specRun } from '../../../test/support/given/step-scene.js';
import { Stopping } from './step-attempts.js';
import type { StepInHand, StepKind, StepOutcome } from './step-kind.js';

interface Counted {
  readonly done: readonly number[];
  readonly steps: number;
}

type Perform = (step: StepInHand<Counted>) => Promise<StepOutcome<Counted>>;

const counting = (perform?: Perform, more: Partial<StepKind<Counted>> = {}): StepKind<Counted> => ({
  category: 'specRun',
  collection: 'specRuns',
  topic: 'spec-steps',
  concurrency: 4,
  attempts: 3,
  storesState: true,
  next: ({ done, steps }) =>
    done.length === steps
      ? { end: { error: null } }
      : { step: { id: `s${done.length + 1}`, name: `Step ${done.length + 1}` } },
  perform: perform ?? (async ({ state, number }) => isDone(state, number)),
  ...more,
});

const isDone = (state: Counted, number: number): StepOutcome<Counted> => ({
  done: true,
  state: { ...state, done: [...state.done, number] },
});

const start = (steps: number) => requestOf<Counted>({ done: [], steps });

let scene: StepScene;
beforeEach(() => {
  scene = new StepScene();
});
afterEach(() => scene.close());

const recorded = async () => {
  const { runs } = await scene.process();
  return runs.find(counting(), specRun.workspaceId, specRun.runId);
};

describe('several processes', () => {
  it('never execute one step at the same time', async () => {
    let [inHand, most, done] = [0, 0, 0];
    const kind = counting(async ({ state, number }) => {
      inHand += 1;
      most = Math.max(most, inHand);
      await takes(5);
      inHand -= 1;
      done += 1;
      return isDone(state, number);
    });
    const some = await Promise.all([1, 2, 3, 4].map(() => scene.process()));
    await some[0]?.runs.accept(kind, start(5));
    await Promise.all(some.map(({ goOn }) => goOn(kind)));
    expect(await recorded()).toMatchObject({ status: 'success' });
    expect([most, done]).toEqual([1, 5]);
  });

  it('leave a step to a living process, and take it over from a dead one, under the same keys', async () => {
    const keys: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const kind = counting(async ({ state, number, attemptKey, call }) => {
      const { commandId } = call({ kind: 'flow', id: 'f', name: 'F' }, 'spec/do');
      keys.push(`${attemptKey} ${commandId}`);
      if (keys.length === 1) await held;
      return isDone(state, number);
    });
    const [slow, other] = [await scene.process(), await scene.process()];
    await slow.runs.accept(kind, start(1));
    const going = slow.goOn(kind);
    while (keys.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await other.goOn(kind);
    expect(keys).toHaveLength(1);
    await slow.die();
    await other.goOn(kind);
    release();
    await going;
    expect(await recorded()).toMatchObject({ status: 'success', steps: [{ attempts: [{ starts: 2 }] }] });
    expect(keys[0]).toBe(keys[1]);
  });

  it('do not repeat a step whose outcome was recorded before its process died', async () => {
    let performed = 0;
    const kind = counting(async ({ state, number }) => {
      performed += 1;
      return isDone(state, number);
    });
    // The process dies after its second write, which stores the outcome of the step. The first was the start of the
    // step.
    const dying = await scene.process({ atWrite: 2, when: 'after' });
    await (await scene.process()).runs.accept(kind, start(1));
    await expect(dying.goOn(kind)).rejects.toThrow();
    await dying.die();
    await (await scene.process()).goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'success' });
    expect(performed).toBe(1);
  });

  it('give up a step that is lost with three of them', async () => {
    const never = counting(() => new Promise(() => {}));
    for (let round = 1; round <= 3; round++) {
      const process = await scene.process();
      if (round === 1) await process.runs.accept(never, start(1));
      void process.goOn(never);
      while ((await recorded())?.process !== process.name) await new Promise((resolve) => setImmediate(resolve));
      await process.die();
    }
    await (await scene.process()).goOn(never);
    expect(await recorded()).toMatchObject({ status: 'error', error: expect.stringContaining('stopped repeatedly') });
  });

  it('hand a run on between two steps when one of them stops', async () => {
    const [first, second] = [await scene.process(), await scene.process()];
    const kind = counting(async ({ state, number }) => {
      first.attempts.stop();
      return isDone(state, number);
    });
    await first.runs.accept(kind, start(2));
    await expect(first.goOn(kind)).rejects.toThrow('is stopping');
    expect(await recorded()).toMatchObject({ status: 'queued', steps: [{ status: 'success' }] });
    await second.goOn(counting());
    expect(await recorded()).toMatchObject({ status: 'success' });
  });

  it('leave a waiting step in place when they stop, in its present attempt', async () => {
    const [first, second] = [await scene.process(), await scene.process()];
    const keys: string[] = [];
    const kind = counting(async ({ state, number, attemptKey, stopping }) => {
      keys.push(attemptKey);
      if (keys.length > 1) return isDone(state, number);
      setImmediate(() => first.attempts.stop());
      await stopping;
      throw new Stopping();
    });
    await first.runs.accept(kind, start(1));
    await expect(first.goOn(kind)).rejects.toThrow(Stopping);
    await second.goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'success', steps: [{ attempts: [{ number: 1, starts: 1 }] }] });
    expect(keys[0]).toBe(keys[1]);
  });
});

describe('wherever processes die', () => {
  it('every step counts once, and is repeated only under the same keys', async () => {
    const dying = fc.record({ atWrite: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before', 'after') });
    await fc.assert(
      fc.asyncProperty(fc.array(dying as fc.Arbitrary<never>, { maxLength: 2 }), async (deaths) => {
        const one = new StepScene();
        try {
          const keys = new Map<number, Set<string>>();
          const kind = counting(async ({ state, number, attemptKey }) => {
            keys.set(number, (keys.get(number) ?? new Set()).add(attemptKey));
            return isDone(state, number);
          });
          await (await one.process()).runs.accept(kind, start(4));
          for (const dies of [...deaths, undefined]) {
            const process = await one.process(dies);
            await process.goOn(kind).catch(() => undefined);
            await process.die();
          }
          const { runs } = await one.process();
          const run = await runs.find(kind, specRun.workspaceId, specRun.runId);
          expect(run?.status).toBe('success');
          expect(run && (await runs.state(kind, run))?.done).toEqual([1, 2, 3, 4]);
          expect([...keys.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
        } finally {
          await one.close();
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
