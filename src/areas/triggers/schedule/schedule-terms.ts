import { readCron } from '../../../kernel/cron/cron.js';
import { Zone } from '../../../kernel/cron/zone.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';

/** In bytes of JSON. Limited because every firing records the params. */
const mostParamBytes = 16 * 1024;

export function wrongTimes(cronExpression: string, timezone: string): readonly InvalidField[] {
  const read = readCron(cronExpression);
  const isKnown = Zone.named(timezone) !== undefined;
  return [
    ...('wrong' in read ? [{ path: 'cronExpression', message: read.wrong }] : []),
    ...(isKnown
      ? []
      : [{ path: 'timezone', message: "must be a time zone of the IANA database, e.g. 'Europe/Berlin'" }]),
  ];
}

export function wrongParams(params: JsonObject): readonly InvalidField[] {
  if (Object.hasOwn(params, '_schedule')) {
    return [{ path: 'params._schedule', message: 'must not be sent; the service adds it to the params' }];
  }
  const tooLarge = Buffer.byteLength(JSON.stringify(params)) > mostParamBytes;
  return tooLarge ? [{ path: 'params', message: `must be at most ${mostParamBytes} bytes of JSON` }] : [];
}

interface SentTarget {
  readonly targetKind?: string | undefined;
  readonly targetRef?: string | undefined;
}

/**
 * Either the input field `field`, or targetKind together with targetRef, must name the target (settled question Q-A43).
 * @param field name of that input field, such as `functionName`, for error messages
 */
export function wrongTarget(
  field: string,
  sent: string | undefined,
  { targetKind, targetRef }: SentTarget,
): readonly InvalidField[] {
  const isOther = targetKind !== undefined || targetRef !== undefined;
  if (sent === undefined && !isOther) {
    return [{ path: field, message: 'is required, or targetKind and targetRef instead' }];
  }
  if (sent !== undefined && isOther) {
    return [
      { path: field, message: 'must not be sent together with targetKind and targetRef: a schedule has one target' },
    ];
  }
  if (isOther && targetKind === undefined) return [{ path: 'targetKind', message: 'is required with targetRef' }];
  if (isOther && targetRef === undefined) return [{ path: 'targetRef', message: 'is required with targetKind' }];
  return [];
}
