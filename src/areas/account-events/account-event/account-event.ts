import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';

/** Not yet validated. */
export interface RaisedEvent {
  readonly name: string;
  readonly subject?: JsonObject | undefined;
  readonly properties?: JsonObject | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface RaisedBy extends RaisedEvent {
  readonly neverDeletes?: boolean | undefined;
}

/** Limits from the section "Limits" of the Account Events API and from settled questions Q-E11 to Q-E13. */
const mostKeys = 30;
const mostPropertyBytes = 8 * 1024;
const mostSubjectBytes = 2 * 1024;
const namePattern = /^[a-z0-9][a-z0-9_.-]{0,79}$/;
const keyPattern = /^[\x20-\x7e]{1,255}$/;

/** The schemas accept the same events as `checkRaised`. */
export const raisedSchemas = {
  name: { pattern: `^(?!custom\\.|app\\.)${namePattern.source.slice(1)}` },
  idempotencyKey: { pattern: keyPattern.source },
} as const;

/** @throws Refusal invalid-input */
export function checkRaised({ name, subject = {}, properties = {}, idempotencyKey }: RaisedEvent): void {
  const wrong: InvalidField[] = [];
  if (!namePattern.test(name)) {
    wrong.push({
      path: 'name',
      message: 'must be 1 to 80 of a-z, 0-9, dot, hyphen and underscore, beginning with a letter or digit',
    });
  } else if (/^(custom|app)\./.test(name)) {
    wrong.push({ path: 'name', message: 'must not contain the prefix: it is recorded as custom.<name>' });
  }
  if (Object.keys(properties).length > mostKeys)
    wrong.push({ path: 'properties', message: `must have at most ${mostKeys} keys` });
  if (bytesOf(properties) > mostPropertyBytes)
    wrong.push({ path: 'properties', message: `must be at most ${mostPropertyBytes} bytes of JSON` });
  if (bytesOf(subject) > mostSubjectBytes)
    wrong.push({ path: 'subject', message: `must be at most ${mostSubjectBytes} bytes of JSON` });
  if (idempotencyKey !== undefined && !keyPattern.test(idempotencyKey)) {
    wrong.push({ path: 'idempotencyKey', message: 'must be 1 to 255 printable ASCII characters' });
  }
  if (wrong.length > 0) refuseInput(wrong);
}

const bytesOf = (value: JsonObject) => Buffer.byteLength(JSON.stringify(value));
