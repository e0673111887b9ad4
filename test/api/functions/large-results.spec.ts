import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HiddenTexts, type HideRequest, LargeTexts } from '../../../src/ports/offloaded/large-texts.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';

/** Looks through nothing any more, as when its thread ended. */
class Gone extends LargeTexts {
  readonly asked: HideRequest[] = [];

  override async hide(request: HideRequest): Promise<HiddenTexts | undefined> {
    this.asked.push(request);
    throw new Error('The thread is gone.');
  }

  override async close(): Promise<void> {}
}

let app: TestApp;
const gone = new Gone();
beforeAll(async () => {
  app = await startApp({ replacements: [{ provide: LargeTexts, useValue: gone }] });
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: 'sk_live_0123456789abcdef' });
});
afterAll(() => app.close());

describe('a result that could not be looked through for secrets', () => {
  const run = async (length: number) => {
    const code = `return 'sk_live_0123456789abcdef'.padEnd(${length}, 'x')`;
    const { id } = await done(app, 'automations/createFunction', { name: `large ${length}`, code });
    return { id, ...(await app.call('automations/invokeFunction', { id, event: {} })) };
  };

  it('is not shown, and the run ends with an error that says so', async () => {
    const { id, status, body } = await run(50_000);
    expect([status, body.detail]).toEqual([422, expect.stringContaining('could not be looked through')]);
    expect(JSON.stringify(body)).not.toContain('sk_live');
    const [latest] = await done(app, 'automations/listRuns', { functionId: id });
    expect(latest.status).toBe('error');
    expect(gone.asked).toHaveLength(1);
  });

  it('is looked through at once when it is small', async () => {
    expect((await run(100)).body.result).toMatch(/^\*\*\*x+$/);
  });
});
