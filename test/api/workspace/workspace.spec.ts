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

describe('getWorkspace', () => {
  it('describes the workspace and the caller', async () => {
    expect(await done(app, 'workspace/getWorkspace')).toEqual({
      id: expect.stringMatching(/^ws_[0-9a-z]{26}$/),
      name: 'My workspace',
      handle: 'my-workspace',
      plan: 'pro',
      aiCredits: 100,
      me: {
        kind: 'person',
        id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
        name: 'Owner',
        role: 'owner',
        readOnly: false,
        neverDeletes: false,
        permissions: [
          'agents.manage',
          'audit.read',
          'events.raise',
          'functions.edit',
          'functions.read',
          'functions.run',
          'keys.manage',
          'mailboxes.manage',
          'members.manage',
          'site.edit',
          'site.money',
          'site.publish',
          'site.read',
          'site.users',
          'workspace.manage',
          'workspace.read',
        ],
      },
    });
  });

  it('shows rights granted beyond the role, and the limits of a connection', async () => {
    const viewer = await person(app, 'viewer', ['audit.read']);
    const connection = await keyOf(app, {
      kind: 'connection',
      memberId: viewer.id,
      readOnly: true,
      neverDeletes: true,
    });
    expect((await done(app, 'workspace/getWorkspace', {}, connection)).me).toMatchObject({
      kind: 'connection',
      name: 'made for a test',
      role: 'viewer',
      readOnly: true,
      neverDeletes: true,
      permissions: ['audit.read', 'events.raise', 'functions.read', 'site.read', 'workspace.read'],
    });
  });
});

describe('updateWorkspace', () => {
  it('renames it and keeps the handle', async () => {
    const renamed = await done(app, 'workspace/updateWorkspace', { name: 'Countersign & Sons' });
    expect(renamed).toMatchObject({ name: 'Countersign & Sons', handle: 'my-workspace', me: { role: 'owner' } });
    expect(await done(app, 'workspace/getWorkspace')).toEqual(renamed);
  });

  it.each([[''], ['a\r\nb'], ['x'.repeat(201)], [null], [7]])('refuses the name %j', async (name) => {
    const { status, body } = await app.call('workspace/updateWorkspace', { name });
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', 'name']);
  });
});

describe('settings', () => {
  it('are all on at first but for two, and can be changed one by one', async () => {
    const fresh = {
      versions: true,
      functionLogs: true,
      runsTab: true,
      siteFunctionWebhooks: true,
      siteFunctionTargets: true,
      accountFunctionScheduleTargets: true,
      actsAsWorkspaceSwitch: false,
      fourEyes: false,
      automationsAsk: 'nothing',
      codeCards: 'full-data-access',
    };
    expect(await done(app, 'workspace/getSettings')).toEqual(fresh);
    const changed = { ...fresh, fourEyes: true, runsTab: false };
    expect(await done(app, 'workspace/updateSettings', { fourEyes: true, runsTab: false })).toEqual(changed);
    expect(await done(app, 'workspace/updateSettings', {})).toEqual(changed);
    expect(await done(app, 'workspace/getSettings')).toEqual(changed);
    await done(app, 'workspace/updateSettings', { fourEyes: false, runsTab: true });
  });

  it.each([
    [{ versions: 'yes' }, 'versions'],
    [{ versions: null }, 'versions'],
    [{ nonsense: true }, 'nonsense'],
  ])('refuses the settings %j', async (sent, path) => {
    const { status, body } = await app.call('workspace/updateSettings', sent);
    expect([status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', path]);
  });
});
