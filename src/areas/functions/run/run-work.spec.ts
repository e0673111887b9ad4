import { getEventListeners } from 'node:events';
import type { RunEnds } from './run-ends.js';
import { RunWork } from './run-work.js';

describe('RunWork', () => {
  const unused = null as never;
  const workWith = (recorded: () => Promise<void>) =>
    new RunWork(unused, unused, unused, unused, unused, unused, { recorded } as unknown as RunEnds);
  it("leaves no listener on its process's signal for runs that were ready", async () => {
    const { signal } = new AbortController();
    await workWith(async () => undefined).ready('run_1', signal);
    await expect(workWith(() => Promise.reject(new Error('x'))).ready('run_2', signal)).rejects.toThrow('x');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('waits for an unrecorded end only as long as its process runs', async () => {
    const process = new AbortController();
    const { signal } = process;
    const ready = workWith(() => new Promise(() => undefined)).ready('run_1', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    process.abort();
    await ready;
    await workWith(() => new Promise(() => undefined)).ready('run_2', signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
