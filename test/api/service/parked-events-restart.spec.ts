// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ParkedScene, saga } from '../../support/automations/parked-scene.js';

let scene: ParkedScene;
beforeEach(async () => {
  scene = await ParkedScene.start();
});
afterEach(() => scene.app.close());

describe('a parked event of a saga', () => {
  it('is still parked after a restart, and completed by a retry', async () => {
    const { bad } = await scene.deletedMailhooks();
    await scene.parked(1);
    await scene.restart();
    await scene.parked(1);
    scene.fixCause();
    const asked = await scene.cli('sagas:retry', saga, 'all');
    expect([asked.code, asked.out]).toEqual([0, [JSON.stringify({ saga, asked: 1 })]]);
    await scene.parked(0);
    expect(await scene.hasAddress(bad)).toBe(false);
  }, 60_000);

  it('is processed at the next start, after the cause is fixed', async () => {
    const { bad } = await scene.deletedMailhooks();
    await scene.parked(1);
    scene.fixCause();
    await scene.restart();
    await scene.parked(0);
    expect(await scene.hasAddress(bad)).toBe(false);
  }, 60_000);
});
