import { describe, expect, test } from '@jest/globals';
import { given, refusalOf } from '../../../../test/support/given/given.js';
import { checkAppSetting, mostAppSettings, setAppSetting } from './app-setting.js';
import { type AppSettingEvent, appSettings } from './app-setting.record.js';

const set: AppSettingEvent = { type: 'AppSettingSet', data: { value: 'gold' } };

describe('the name and value of a setting', () => {
  test.each(['APP_PLAN', 'APP_2', `APP_${'X'.repeat(96)}`])('%s is a name', (name) => {
    expect(() => checkAppSetting(name, 'x')).not.toThrow();
  });

  test.each(['PLAN', 'APP_', 'app_plan', 'APP_plan', 'APP_A.B', 'APP_Ä', `APP_${'X'.repeat(97)}`, ''])(
    '%s is none',
    (name) => {
      expect(refusalOf(() => checkAppSetting(name, 'x')).code).toBe('app-setting-name');
      expect(refusalOf(() => checkAppSetting(name, null)).code).toBe('app-setting-name');
    },
  );

  test('a value has 10,000 characters at most, counted as code points', () => {
    for (const fits of ['', 'x'.repeat(10_000), '😀'.repeat(10_000)]) {
      expect(() => checkAppSetting('APP_X', fits)).not.toThrow();
    }
    for (const longer of ['x'.repeat(10_001), `${'😀'.repeat(10_000)}x`, 'x'.repeat(20_001)]) {
      expect(refusalOf(() => checkAppSetting('APP_X', longer)).code).toBe('app-setting-value');
    }
  });

  test('an unpaired surrogate is not valid text', () => {
    expect(refusalOf(() => checkAppSetting('APP_X', '\ud83d')).code).toBe('app-setting-value');
  });
});

describe('setting a setting', () => {
  test('records the value', () => {
    given().when(setAppSetting, undefined, 'gold', 0).emits(set);
  });

  test('records nothing if the value is unchanged', () => {
    given(appSettings, [set]).when(setAppSetting, 'gold', 0).emitsNothing();
    given().when(setAppSetting, undefined, null, 0).emitsNothing();
  });

  test('null removes it', () => {
    given(appSettings, [set]).when(setAppSetting, null, 0).emits({ type: 'AppSettingRemoved', data: {} });
  });

  test(`a workspace has ${mostAppSettings} at most; existing ones may still be changed`, () => {
    given()
      .when(setAppSetting, undefined, 'gold', mostAppSettings - 1)
      .emits(set);
    given().when(setAppSetting, undefined, 'gold', mostAppSettings).refuses('app-settings-full');
    given(appSettings, [set])
      .when(setAppSetting, 'silver', mostAppSettings)
      .emits({ type: 'AppSettingSet', data: { value: 'silver' } });
  });
});
