import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { eventually } from '../../support/eventually.js';
import { drained, raiseUntilGone, setEventScene, wrongRuns } from '../../support/kills/event-kill-ledger.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

const raises = 500;
const kills = 3;

/** Needs a build, because it starts the service as a process. */
describe('account events, killed', () => {
  let directory: EmbeddedDirectory;
  let service: ServiceProcess;
  beforeEach(async () => {
    directory = new EmbeddedDirectory();
    service = await startServiceProcess({ dataDir: directory.path });
  });
  afterEach(async () => {
    await service.end('SIGKILL');
    directory.remove();
  });

  it('run every matching trigger of every raised event exactly once', async () => {
    const scene = await setEventScene(service);
    const waiting = new Set(Array.from({ length: raises }, (_, n) => n));
    for (let kill = 1; kill <= kills; kill += 1) {
      // A run fails when it loses its third attempt, so the last kill must not interrupt a run that lost two before.
      if (kill === kills) await drained(service, scene);
      const load = raiseUntilGone(service, waiting);
      await eventually(
        async () => waiting.size,
        (left) => left <= raises * (1 - kill / (kills + 1)),
        60_000,
      );
      await service.end('SIGKILL');
      await load;
      service = await startServiceProcess({ dataDir: directory.path });
    }
    expect(waiting.size).toBeGreaterThan(0);
    await raiseUntilGone(service, waiting);
    expect([waiting.size, await wrongRuns(service, scene, raises)]).toEqual([0, []]);
    const { body } = await service.call('accountEvents/listEventTriggers');
    expect(body.map(({ fireCount }: { fireCount: number }) => fireCount)).toEqual([raises, raises / 2]);
  }, 240_000);
});
