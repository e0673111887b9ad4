// Engines: one process, and several.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());

describe('an agent key', () => {
  it('never has more rights than an Editor, nor more than its person', async () => {
    const viewer = await person(app, 'viewer', ['functions.edit']);
    const agent = await done(app, 'workspace/addAgent', { name: 'Small', memberId: viewer.id });
    const key = await keyOf(app, { kind: 'agent', agentId: agent.id });
    expect((await done(app, 'workspace/getWorkspace', {}, key)).me).toMatchObject({
      kind: 'agent',
      id: agent.id,
      role: 'viewer',
    });
    const { id: ofOwner } = await done(app, 'workspace/addAgent', { name: 'Scout' });
    const ownersKey = await keyOf(app, { kind: 'agent', agentId: ofOwner });
    expect((await done(app, 'workspace/getWorkspace', {}, ownersKey)).me).toMatchObject({ role: 'editor' });
  });
});
