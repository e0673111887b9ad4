import { describe, expect, test } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { changeSettings, createWorkspace, handleOf, renameWorkspace, setPlan } from './workspace.js';
import { type WorkspaceEvent, workspaces } from './workspace.record.js';

const created: WorkspaceEvent = { type: 'WorkspaceCreated', data: { name: 'Acme', handle: 'acme', plan: 'pro' } };

test('a workspace begins with a handle derived from its name', () => {
  given().when(createWorkspace, 'Acme').emits(created);
});

test.each([
  ['My workspace', 'my-workspace'],
  ['  Café Müller & Co. ', 'cafe-muller-co'],
  ['日本', 'workspace'],
  [`${'x'.repeat(47)} y`, 'x'.repeat(47)],
])('the handle of %j is %j', (name, handle) => {
  expect(handleOf(name)).toBe(handle);
});

test('renaming', () => {
  given(workspaces, [created])
    .when(renameWorkspace, 'Acme 2')
    .emits({ type: 'WorkspaceRenamed', data: { name: 'Acme 2' } });
  given(workspaces, [created]).when(renameWorkspace, 'Acme').emitsNothing();
});

test('setting the plan', () => {
  given(workspaces, [created])
    .when(setPlan, 'free')
    .emits({ type: 'PlanChanged', data: { plan: 'free' } });
  given(workspaces, [created]).when(setPlan, 'pro').emitsNothing();
  given(workspaces, [created, { type: 'PlanChanged', data: { plan: 'free' } }])
    .when(setPlan, 'free')
    .emitsNothing();
});

describe('settings', () => {
  test('records the switches that change', () => {
    given(workspaces, [created])
      .when(changeSettings, { versions: true, runsTab: false, fourEyes: true })
      .emits({ type: 'SettingsChanged', data: { settings: { runsTab: false, fourEyes: true } } });
  });

  test('have no effect without a change', () => {
    given(workspaces, [created]).when(changeSettings, { versions: true, fourEyes: false }).emitsNothing();
    given(workspaces, [created, { type: 'SettingsChanged', data: { settings: { fourEyes: true } } }])
      .when(changeSettings, { fourEyes: true })
      .emitsNothing();
  });
});
