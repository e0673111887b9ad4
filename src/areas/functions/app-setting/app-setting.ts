import { isLongerThan } from '../../../kernel/text/code-points.js';
import { refuse } from '../functions.refusals.js';
import type { AppSetting, AppSettingEvent } from './app-setting.record.js';

export const mostAppSettings = 200;
/** Maximum length of a setting's value, in Unicode code points. */
const longestValue = 10_000;
const names = /^APP_[A-Z0-9_]{1,96}$/;

/**
 * Source: Automations API, Rules 7.
 * @throws Refusal
 */
export function checkAppSetting(name: string, value: string | null): void {
  if (!names.test(name)) refuse('app-setting-name', { name: name.slice(0, 100) });
  if (value === null) return;
  if (!value.isWellFormed() || isLongerThan(value, longestValue))
    refuse('app-setting-value', { name, limit: longestValue });
}

/**
 * @param others number of other settings in the workspace; a new setting is refused if there are already
 * `mostAppSettings`
 */
export function setAppSetting(
  before: AppSetting | undefined,
  value: string | null,
  others: number,
): readonly AppSettingEvent[] {
  if (value === null) return before === undefined ? [] : [{ type: 'AppSettingRemoved', data: {} }];
  if (before?.value === value) return [];
  if (before === undefined && others >= mostAppSettings) refuse('app-settings-full', { limit: mostAppSettings });
  return [{ type: 'AppSettingSet', data: { value } }];
}
