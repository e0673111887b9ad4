import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requestOf, StepScene, specRun } from '../../../test/support/given/step-scene.js';
import type { RecordingQuota } from '../quotas/recording-quota.js';
import { refuse } from '../refusals/engine.refusals.js';
import type { StepKind } from './step-kind.js';

const kind = { category: 'specRun', storesState: true } as StepKind<object>;
const request = requestOf<object>({});
const usedUp = { mustHaveRoom: async () => refuse('runs-quota', { megabytes: 1 }) } as unknown as RecordingQuota;

let scene: StepScene;
beforeEach(() => {
  scene = new StepScene();
});
afterEach(() => scene.close());

describe('if the quota of runs is used up', () => {
  it.each(['accept', 'refuse'] as const)('%s records no new run', async (way) => {
    scene.quota = usedUp;
    const { runs } = await scene.process();
    const begun = way === 'accept' ? runs.accept(kind, request) : runs.refuse(kind, request, 'It is inactive.');
    await expect(begun).rejects.toMatchObject({ code: 'runs-quota' });
    expect(await runs.find(kind, specRun.workspaceId, specRun.runId)).toBeUndefined();
    expect([...scene.held.keys()]).toEqual([]);
  });

  it('a run that was accepted before is not refused', async () => {
    await (await scene.process()).runs.accept(kind, request);
    scene.quota = usedUp;
    const { runs } = await scene.process();
    await runs.accept(kind, request);
    await runs.refuse(kind, request, 'It is inactive.');
    expect(await runs.isGoing(kind, specRun.workspaceId, specRun.runId)).toBe(true);
  });
});
