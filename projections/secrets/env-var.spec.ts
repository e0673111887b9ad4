import { describe, it } from '@jest/globals';
import { givenProjection, SpecLog } from '../../test/support/given/given-projection.js';
import { appSettingsProjection, envVarsProjection } from './env-var.projection.js';

describe.each([
  ['secrets', envVarsProjection, 'envVar', 'EnvVarSet', 'EnvVarDeleted'],
  ['settings', appSettingsProjection, 'appSetting', 'AppSettingSet', 'AppSettingRemoved'],
] as const)('the %s of a workspace', (_, projection, category, set, removed) => {
  it('are stored under their names in it, and deleted when they are removed', () => {
    const log = new SpecLog()
      .add(category, 'ONE', { type: set, data: { name: 'ONE' } })
      .add(category, 'TWO', { type: set, data: { name: 'TWO' } })
      .add(category, 'TWO', { type: removed, data: { name: 'TWO' } });
    const [collection = ''] = Object.keys(projection.collections);
    givenProjection(projection, log).shows({ [collection]: [{ id: 'ws_spec/ONE' }] });
  });
});
