import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { requestOf, StepScene, specRun } from '../../../test/support/given/step-scene.js';
import { EventStoreUnavailable } from '../../ports/event-store.port.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Stopping } from './step-attempts.js';
import type { StepInHand, StepKind, StepOutcome } from './step-kind.js';

interface Counted {
  readonly done: readonly number[];
  readonly steps: number;
}

type Perform = (step: StepInHand<Counted>) => Promise<StepOutcome<Counted>>;

/** A kind of run with steps 1 to n. The state is the number of steps done. */
const counting = (perform?: Perform, more: Partial<StepKind<Counted>> = {}): StepKind<Counted> => ({
  category: 'specRun',
  collection: 'specRuns',
  topic: 'spec-steps',
  concurrency: 4,
  attempts: 3,
  keepsState: true,
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

describe('a run of several steps', () => {
  it('does them in their order, each once, and ends', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(3));
    await goOn(counting());
    const run = await recorded();
    expect(run).toMatchObject({ status: 'success', error: null });
    expect(run?.steps.map(({ id, status, attempts }) => [id, status, attempts.length])).toEqual([
      ['s1', 'success', 1],
      ['s2', 'success', 1],
      ['s3', 'success', 1],
    ]);
    expect(run && (await runs.state(counting(), run))?.done).toEqual([1, 2, 3]);
  });

  it('accepted twice is one run', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    await goOn(counting());
    await runs.accept(counting(), start(1));
    expect((await recorded())?.status).toBe('success');
  });

  it('tells nothing of its state in the log, and destroys it with its end', async () => {
    const told = { ...start(1), state: { done: [], steps: 1, secret: 'canary' } };
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), told);
    await goOn(counting(undefined, { keepsState: false }));
    expect(JSON.stringify(await scene.store.readStream('specRun-ws_1.run_1'))).not.toContain('canary');
    expect([...scene.held.keys()]).toEqual([]);
  });

  it.each([
    ['succeeded', undefined],
    [
      'failed',
      async ({ state, number }: StepInHand<Counted>) =>
        number < 3 ? isDone(state, number) : refuse('resource-not-found'),
    ],
  ] as const)('that %s keeps its last state and none before it', async (_, perform) => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(3));
    await goOn(counting(perform));
    const run = await recorded();
    expect([...scene.held.keys()]).toEqual([`specRun/ws_1/run_1.${run?.state}`]);
    expect(run && (await runs.state(counting(), run))?.done).toEqual(perform === undefined ? [1, 2, 3] : [1, 2]);
  });

  it('waits for a limit that says when there is room again', async () => {
    const { runs, goOn } = await scene.process();
    const quota = { megabytes: 1 };
    let isFull = true;
    const kind = counting(async ({ state, number }) =>
      isFull ? refuse('runs-quota', quota, { retryAfterSeconds: 1_800 }) : isDone(state, number),
    );
    await runs.accept(kind, start(1));
    await goOn(kind);
    const wakeAt = new Date(scene.clock.now() + 1_800_000).toISOString();
    expect(await recorded()).toMatchObject({ status: 'waiting', wakeAt });
    isFull = false;
    scene.clock.advance(1_800_000);
    await goOn(kind);
    expect(await recorded()).toMatchObject({
      status: 'success',
      steps: [{ attempts: [{ number: 1 }, { number: 2 }] }],
    });
  });

  it('ends at once at a limit that never has room for it', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    const quota = { megabytes: 1 };
    await goOn(counting(async () => refuse('runs-quota', quota)));
    expect(await recorded()).toMatchObject({ status: 'error', steps: [{ attempts: [{ number: 1 }] }] });
  });

  it('fails with the sentence of the step that failed for good', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(2));
    await goOn(counting(async () => ({ done: false, error: 'No such thing.', final: true })));
    expect(await recorded()).toMatchObject({ status: 'error', error: 'No such thing.', steps: [{ status: 'error' }] });
  });

  it('tries a step three times, with pauses of 1 and 2 seconds and other keys each time', async () => {
    const keys: string[] = [];
    const failing = counting(async ({ attemptKey, stepKey }) => {
      keys.push(`${attemptKey} ${stepKey}`);
      return { done: false, error: `Failed ${keys.length}.` };
    });
    const { runs, goOn } = await scene.process();
    await runs.accept(failing, start(1));
    await goOn(failing);
    expect((await recorded())?.wakeAt).toBe(new Date(scene.clock.now() + 1_000).toISOString());
    await goOn(failing);
    expect(keys).toHaveLength(1);
    scene.clock.advance(1_000);
    await goOn(failing);
    expect((await recorded())?.wakeAt).toBe(new Date(scene.clock.now() + 2_000).toISOString());
    scene.clock.advance(2_000);
    await goOn(failing);
    expect(await recorded()).toMatchObject({ status: 'error', error: 'Failed 3.' });
    expect(keys).toEqual(['run_1/1/1 run_1/1', 'run_1/1/2 run_1/1', 'run_1/1/3 run_1/1']);
  });

  it('fails at once when a step is refused, and tells why', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    await goOn(counting(async () => refuse('resource-not-found')));
    expect((await recorded())?.error).toContain('There is no such resource');
  });

  it('tells nothing of an error that nobody foresaw', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    const kind = counting(
      async () => {
        throw new Error('canary');
      },
      { attempts: 1 },
    );
    await goOn(kind);
    expect((await recorded())?.error).toContain('fault of the service');
    expect(JSON.stringify(await recorded())).not.toContain('canary');
  });

  it('waits for days without being in anybody’s hands', async () => {
    const day = 24 * 3_600_000;
    const until = scene.clock.now() + 40 * day;
    const waiting = counting(async ({ state, number }) => ({ ...isDone(state, number), resumeAt: until }) as never);
    const { runs, goOn } = await scene.process();
    await runs.accept(waiting, start(2));
    await goOn(waiting);
    expect(await recorded()).toMatchObject({ status: 'waiting', process: null, wakeAt: new Date(until).toISOString() });
    scene.clock.advance(40 * day);
    await goOn(counting());
    expect((await recorded())?.status).toBe('success');
  });

  it('is ended from outside, and what its step in hand gives counts for nothing', async () => {
    const { runs, goOn } = await scene.process();
    const stopped = counting(async ({ state, number }) => {
      await runs.stop(counting(), specRun.workspaceId, specRun.runId, 'It was stopped.');
      return isDone(state, number);
    });
    await runs.accept(stopped, start(2));
    await goOn(stopped);
    expect(await recorded()).toMatchObject({ status: 'error', error: 'It was stopped.', steps: [{ status: 'error' }] });
  });

  it('ends before its next step when what it is a run of is gone', async () => {
    const { runs, goOn } = await scene.process();
    let isGone = false;
    const kind = counting(
      async ({ state, number }) => {
        isGone = true;
        return isDone(state, number);
      },
      { blockedReason: async () => (isGone ? 'It was deleted.' : undefined) },
    );
    await runs.accept(kind, start(2));
    await goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'error', error: 'It was deleted.', steps: [{ id: 's1' }] });
  });

  it('asks again in the same attempt while a store is away', async () => {
    let asked = 0;
    const kind = counting(async ({ state, number, attempt }) => {
      asked += 1;
      expect(attempt).toBe(1);
      setImmediate(() => scene.clock.advance(30_000));
      if (asked < 4) throw new EventStoreUnavailable('away');
      return isDone(state, number);
    });
    const { runs, goOn } = await scene.process();
    await runs.accept(kind, start(1));
    await goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'success', steps: [{ attempts: [{ number: 1, starts: 1 }] }] });
  });

  it('whose state is no longer kept ends, and says so', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    scene.held.clear();
    await goOn(counting());
    expect((await recorded())?.error).toContain('no longer kept');
  });
});

describe('several processes', () => {
  it('never have one step in hand at the same time', async () => {
    let [inHand, most, done] = [0, 0, 0];
    const kind = counting(async ({ state, number }) => {
      inHand += 1;
      most = Math.max(most, inHand);
      await new Promise((resolve) => setTimeout(resolve, 5));
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

  it('leave a step to the one that lives, and take it over from one that is gone, under the same keys', async () => {
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

  it('do not do a step again whose outcome was kept before its process was lost', async () => {
    let performed = 0;
    const kind = counting(async ({ state, number }) => {
      performed += 1;
      return isDone(state, number);
    });
    // The process writes twice: the start of the step, then its outcome.
    const dying = await scene.process({ atWrite: 2, when: 'after' });
    await (await scene.process()).runs.accept(kind, start(1));
    await expect(dying.goOn(kind)).rejects.toThrow();
    await dying.die();
    await (await scene.process()).goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'success' });
    expect(performed).toBe(1);
  });

  it('give a step up that loses three of them', async () => {
    const never = counting(() => new Promise(() => {}));
    for (let round = 1; round <= 3; round++) {
      const process = await scene.process();
      if (round === 1) await process.runs.accept(never, start(1));
      void process.goOn(never);
      while ((await recorded())?.process !== process.name) await new Promise((resolve) => setImmediate(resolve));
      await process.die();
    }
    await (await scene.process()).goOn(never);
    expect(await recorded()).toMatchObject({ status: 'error', error: expect.stringContaining('again and again') });
  });

  it('hand a run on between two steps when one of them stops', async () => {
    const [first, second] = [await scene.process(), await scene.process()];
    const kind = counting(async ({ state, number }) => {
      first.attempts.end();
      return isDone(state, number);
    });
    await first.runs.accept(kind, start(2));
    await expect(first.goOn(kind)).rejects.toThrow('stops');
    expect(await recorded()).toMatchObject({ status: 'queued', steps: [{ status: 'success' }] });
    await second.goOn(counting());
    expect(await recorded()).toMatchObject({ status: 'success' });
  });

  it('leave a step that waits in place when they stop, in the attempt it is in', async () => {
    const [first, second] = [await scene.process(), await scene.process()];
    const keys: string[] = [];
    const kind = counting(async ({ state, number, attemptKey, stopping }) => {
      keys.push(attemptKey);
      if (keys.length > 1) return isDone(state, number);
      setImmediate(() => first.attempts.end());
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
  it('every step counts once, and is done again only under the keys it had', async () => {
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
