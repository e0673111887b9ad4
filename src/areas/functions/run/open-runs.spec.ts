import { beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import type { Metrics } from '../../../engine/health/metrics.js';
import type { Leases } from '../../../ports/leases.port.js';
import type { Message, Messages } from '../../../ports/messages.port.js';
import type { ReadStore } from '../../../ports/read-store.port.js';
import { OpenRuns } from './open-runs.js';
import type { Run } from './run.record.js';
import type { RunJournal, RunOrigin } from './run-journal.js';

const run = (n: number, process = 'process_gone') =>
  ({
    id: `run_${n}`,
    workspaceId: 'ws',
    functionId: 'fn',
    position: n,
    starter: { kind: 'schedule', id: 's_1', name: 'S' },
    accepted: true,
    status: 'running',
    process,
    attempts: [{ number: 1 }],
  }) as unknown as Run;

let asked: string[];
let published: string[];
let write: (runId: string) => Promise<void>;
const openRuns = (running: readonly Run[]) =>
  new OpenRuns(
    {
      find: async (_: string, { where }: { where: { status: string } }) => (where.status === 'running' ? running : []),
    } as unknown as ReadStore,
    {
      write: ({ runId }: RunOrigin) => {
        asked.push(runId);
        return write(runId);
      },
    } as unknown as RunJournal,
    { publish: async (_: string, { id }: Message) => void published.push(id) } as unknown as Messages,
    { processes: async () => [{ name: 'process_here', silent: false }] } as unknown as Leases,
    new MadeUpClock(),
    { gauge: () => undefined } as unknown as Metrics,
  );
beforeEach(() => {
  [asked, published] = [[], []];
  write = async () => undefined;
});

describe('open runs of a process that died', () => {
  it('are ended together and run again in order; those of live processes continue', async () => {
    const all = Promise.withResolvers<void>();
    write = () => {
      if (asked.length === 3) all.resolve();
      return all.promise;
    };
    await openRuns([run(1), run(2, 'process_here'), run(3), run(4)]).settle();
    expect(asked).toEqual(['run_1', 'run_3', 'run_4']);
    expect(published).toEqual(['run_1', 'run_3', 'run_4']);
  });

  it('run again up to the first whose end could not be recorded; the next look ends the rest', async () => {
    write = async (runId) => {
      if (runId === 'run_2') throw new Error('The log is away.');
    };
    await expect(openRuns([run(1), run(2), run(3)]).settle()).rejects.toThrow('The log is away.');
    expect(published).toEqual(['run_1']);
  });
});
