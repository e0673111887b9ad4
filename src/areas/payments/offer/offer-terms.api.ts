import { isJsonObject, type Json } from '../../../kernel/json/json.js';

export const intervals = ['day', 'week', 'month', 'year'] as const;
export const accessUnits = ['day', 'month', 'year'] as const;

export type PaymentTerm =
  | 'one_time'
  | {
      readonly every: number;
      readonly interval: (typeof intervals)[number];
      readonly trialDays?: number;
    };

/** How long a purchase gives access (settled question Q-S42). */
export type AccessTerm =
  | 'lifetime'
  | 'while_subscribed'
  | { readonly for: number; readonly unit: (typeof accessUnits)[number] };

const longestTrialDays = 730;
/** The longest payment interval for each unit. Processors require at least one charge in three years. */
const longestInterval = { day: 1_095, week: 156, month: 36, year: 3 } as const;
const longestAccess = { day: 36_500, month: 1_200, year: 100 } as const;

export function wrongPaymentTerm(value: unknown): string | undefined {
  if (value === 'one_time') return undefined;
  const form = "must be 'one_time' or { every, interval, trialDays? }";
  if (!isJsonObject(value as Json)) return form;
  const { every, interval, trialDays, ...others } = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) return `${form}; '${unknown.slice(0, 100)}' is not known`;
  const unit = intervals.find((one) => one === interval);
  if (unit === undefined) return `must have an interval of: ${intervals.join(', ')}`;
  if (!isCount(every, longestInterval[unit])) return `must have an \`every\` from 1 to ${longestInterval[unit]}`;
  if (trialDays === undefined || isCount(trialDays, longestTrialDays)) return undefined;
  return `must have trialDays from 1 to ${longestTrialDays}, or omit it`;
}

export function wrongAccessTerm(value: unknown): string | undefined {
  if (value === 'lifetime' || value === 'while_subscribed') return undefined;
  const form = "must be 'lifetime', 'while_subscribed' or { for, unit }";
  if (!isJsonObject(value as Json)) return form;
  const { for: count, unit: sent, ...others } = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) return `${form}; '${unknown.slice(0, 100)}' is not known`;
  const unit = accessUnits.find((one) => one === sent);
  if (unit === undefined) return `must have a unit of: ${accessUnits.join(', ')}`;
  return isCount(count, longestAccess[unit]) ? undefined : `must have a \`for\` from 1 to ${longestAccess[unit]}`;
}

const isCount = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
