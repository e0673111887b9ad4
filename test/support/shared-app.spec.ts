import { describe, expect, it } from '@jest/globals';
import { done } from './people.js';
import { sharedApp } from './shared-app.js';

const workspaceOf = async (app: Awaited<ReturnType<typeof sharedApp>>) =>
  (await done(app, 'workspace/getWorkspace')).id;

describe('a service that spec files share', () => {
  it('gives each file a workspace of its own, and outlives them', async () => {
    const one = await sharedApp();
    await one.close();
    const other = await sharedApp();
    expect(other.url).toBe(one.url);
    expect(await workspaceOf(other)).not.toBe(await workspaceOf(one));
  });

  it('cannot be restarted', async () => {
    await expect((await sharedApp()).restart()).rejects.toThrow('Other spec files use this service');
  });

  it('is replaced after a file has broken it', async () => {
    const broken = await sharedApp();
    await broken.app.close();
    const next = await sharedApp();
    expect(await workspaceOf(next)).toMatch(/^ws_/);
    expect(next.app).not.toBe(broken.app);
  });
});
