import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requestOf, StepScene, specRun } from '../../../test/support/given/step-scene.js';
import { EventStoreUnavailable } from '../../ports/event-store.port.js';
import { refuse } from '../refusals/engine.refusals.js';
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

describe('a run of several steps', () => {
  it('executes them in order, each once, and ends', async () => {
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

  it('puts nothing of its state into the log, and destroys it at its end', async () => {
    const told = { ...start(1), state: { done: [], steps: 1, secret: 'canary' } };
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), told);
    await goOn(counting(undefined, { storesState: false }));
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
  ] as const)('that %s stores its last state and no earlier one', async (_, perform) => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(3));
    await goOn(counting(perform));
    const run = await recorded();
    expect([...scene.held.keys()]).toEqual([`specRun/ws_1/run_1.${run?.state}`]);
    expect(run && (await runs.state(counting(), run))?.done).toEqual(perform === undefined ? [1, 2, 3] : [1, 2]);
  });

  const hourMs = 3_600_000;
  const quota = { megabytes: 1 };
  const full = (retryAfterSeconds: number) => refuse('runs-quota', quota, { retryAfterSeconds });

  it('waits for a limit that tells when there is room again, also after its last attempt', async () => {
    const { runs, goOn } = await scene.process();
    let isFull = true;
    const kind = counting(async ({ state, number }) => (isFull ? full(3_600) : isDone(state, number)));
    await runs.accept(kind, start(1));
    for (let hour = 1; hour <= 4; hour++) {
      await goOn(kind);
      const wakeAt = new Date(scene.clock.now() + hourMs).toISOString();
      expect(await recorded()).toMatchObject({ status: 'waiting', wakeAt, steps: [{ attempts: { length: hour } }] });
      scene.clock.advance(hourMs);
    }
    isFull = false;
    await goOn(kind);
    expect(await recorded()).toMatchObject({ status: 'success', steps: [{ attempts: { length: 5 } }] });
  });

  it('pauses longer each time at a limit that has no room when it said, and ends after a week', async () => {
    const { runs, goOn } = await scene.process();
    const kind = counting(async () => full(1));
    await runs.accept(kind, start(1));
    const begun = scene.clock.now();
    const pauses: number[] = [];
    for (;;) {
      await goOn(kind);
      const { wakeAt = null } = (await recorded()) ?? {};
      if (wakeAt === null) break;
      pauses.push((Date.parse(wakeAt) - scene.clock.now()) / 1_000);
      scene.clock.set(Date.parse(wakeAt));
    }
    expect(pauses.slice(0, 13)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_600]);
    expect(await recorded()).toMatchObject({ status: 'error', error: expect.stringContaining('1 MB') });
    expect(scene.clock.now() - begun).toBeGreaterThan(7 * 24 * hourMs - 2 * hourMs);
    expect(scene.clock.now() - begun).toBeLessThanOrEqual(7 * 24 * hourMs);
  });

  it('has its three attempts after any number that a limit stopped', async () => {
    const { runs, goOn } = await scene.process();
    let isFull = true;
    const kind = counting(async () => (isFull ? full(60) : { done: false, error: 'The server is away.' }));
    await runs.accept(kind, start(1));
    const tryOnce = async () => {
      await goOn(kind);
      const run = await recorded();
      scene.clock.set(Date.parse(run?.wakeAt ?? new Date(scene.clock.now()).toISOString()));
      return run;
    };
    for (let before = 0; before < 5; before++) await tryOnce();
    isFull = false;
    expect(await tryOnce()).toMatchObject({ status: 'waiting' });
    isFull = true;
    expect(await tryOnce()).toMatchObject({ status: 'waiting' });
    isFull = false;
    expect(await tryOnce()).toMatchObject({ status: 'waiting' });
    const run = await tryOnce();
    expect(run).toMatchObject({ status: 'error', error: 'The server is away.' });
    const stopped = run?.steps[0]?.attempts.filter(({ limited }) => limited);
    expect(stopped?.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 7]);
  });

  it('ends at once at a limit that never has room for it', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    await goOn(counting(async () => refuse('runs-quota', quota)));
    expect(await recorded()).toMatchObject({ status: 'error', steps: [{ attempts: [{ number: 1 }] }] });
  });

  it('fails with the message of the step that failed for good', async () => {
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

  it('fails at once if a step is refused, with the reason', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    await goOn(counting(async () => refuse('resource-not-found')));
    expect((await recorded())?.error).toContain('There is no such resource');
  });

  it('reveals nothing of an unexpected error', async () => {
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

  it('can wait for days without occupying a process', async () => {
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

  it('can be ended from outside, and the result of its current step is ignored', async () => {
    const { runs, goOn } = await scene.process();
    const stopped = counting(async ({ state, number }) => {
      await runs.stop(counting(), specRun.workspaceId, specRun.runId, 'It was stopped.');
      return isDone(state, number);
    });
    await runs.accept(stopped, start(2));
    await goOn(stopped);
    expect(await recorded()).toMatchObject({ status: 'error', error: 'It was stopped.', steps: [{ status: 'error' }] });
  });

  it('ends before its next step if its record is deleted', async () => {
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

  it('retries in the same attempt while a store is away', async () => {
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

  it('whose state has expired ends with that reason', async () => {
    const { runs, goOn } = await scene.process();
    await runs.accept(counting(), start(1));
    scene.held.clear();
    await goOn(counting());
    expect((await recorded())?.error).toContain('has expired');
  });
});
