import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LargeTexts } from '../../../src/ports/offloaded/large-texts.port.js';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let hide: jest.SpiedFunction<LargeTexts['hide']>;
beforeAll(async () => {
  app = await sharedApp();
  // Hiding secrets in large results fails, as it does when its thread has died.
  hide = jest.spyOn(app.app.get(LargeTexts), 'hide').mockRejectedValue(new Error('The thread is gone.'));
  await done(app, 'automations/setEnvVar', { name: 'KEY', value: 'sk_live_0123456789abcdef' });
});
afterAll(async () => {
  hide.mockRestore();
  await app.close();
});

describe('a result that could not be searched for secrets', () => {
  const run = async (length: number) => {
    const code = `return 'sk_live_0123456789abcdef'.padEnd(${length}, 'x')`;
    const { id } = await done(app, 'automations/createFunction', { name: `large ${length}`, code });
    return { id, ...(await app.call('automations/invokeFunction', { id, event: {} })) };
  };

  it('is not shown, and the run ends with an error that explains it', async () => {
    const { id, status, body } = await run(50_000);
    expect([status, body.detail]).toEqual([422, expect.stringContaining('could not be searched')]);
    expect(JSON.stringify(body)).not.toContain('sk_live');
    const [latest] = await done(app, 'automations/listRuns', { functionId: id });
    expect(latest.status).toBe('error');
    expect(hide).toHaveBeenCalledTimes(1);
  });

  it('is searched immediately if it is small', async () => {
    expect((await run(100)).body.result).toMatch(/^\*\*\*x+$/);
  });
});
