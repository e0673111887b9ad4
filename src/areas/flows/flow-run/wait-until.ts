import { instantOf } from '../../../kernel/condition/instant.js';
import { fillTemplate, type TemplateFilling } from '../../../kernel/json/template.js';
import type { StepSettings } from '../flow/flow.record.js';
import { UnfitValue } from './step-doer.js';

const longestMs = 366 * 24 * 3_600_000;

/**
 * Returns milliseconds since 1970.
 * @throws UnfitValue, TemplateWithoutValue
 */
export function waitUntil(settings: StepSettings['wait'], filling: TemplateFilling, now: number): number {
  const until =
    'seconds' in settings ? now + secondsOf(settings.seconds, filling) * 1_000 : instant(settings.until, filling);
  if (until - now > longestMs) throw new UnfitValue('A run can wait for at most 366 days.');
  return until;
}

function secondsOf(seconds: number | string, filling: TemplateFilling): number {
  const filled = typeof seconds === 'number' ? seconds : fillTemplate(seconds, filling);
  const number = typeof filled === 'string' && /^\d{1,9}(\.\d{1,3})?$/.test(filled) ? Number(filled) : filled;
  if (typeof number === 'number' && number >= 0) return number;
  throw new UnfitValue('With the values of this run, the seconds to wait are not a number of at least 0.');
}

function instant(until: string, filling: TemplateFilling): number {
  const filled = fillTemplate(until, filling);
  const at = typeof filled === 'string' ? instantOf(filled) : undefined;
  if (at !== undefined) return at;
  throw new UnfitValue('With the values of this run, the time to wait for is not an ISO 8601 date or date-time.');
}
