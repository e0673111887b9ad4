import type { KafkaMessage, Message as KafkaRecord } from 'kafkajs';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';

/**
 * CloudEvents 1.0 in the JSON event format. Our own members are extension attributes, which have lower-case names and
 * scalar values.
 */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly subject: string;
  readonly datacontenttype: 'application/json';
  /** Omitted if it exceeds the brokers' limit, and then `dataref` refers to it. */
  readonly data?: object;
  readonly [extension: string]: string | number | boolean | object | undefined;
}

/**
 * The source names the log, because an envelope's id is unique only within its log. Without `log`, returns the source
 * that earlier versions used for every log.
 */
export const envelopeSource = (log?: string): string => (log === undefined ? anySource : `${anySource}/${log}`);
const anySource = '/countersign';

export function kafkaRecordOf(key: string, event: CloudEvent): KafkaRecord {
  return {
    key,
    value: JSON.stringify(event),
    headers: { 'content-type': 'application/cloudevents+json; charset=UTF-8' },
  };
}

/**
 * Replaces the data by a reference. Consumers can fetch the data with `audit/getEvent { position }`, because an event's
 * id is its position.
 */
export function withoutData({ data: _data, ...event }: CloudEvent): CloudEvent {
  return { ...event, dataref: `${event.source}/events/${event.id}` };
}

export function envelopeOf(
  type: string,
  { id, key, value, again }: Message,
  at: number,
  source = envelopeSource(),
): CloudEvent {
  const time = new Date(at).toISOString();
  const about = { specversion: '1.0', id, source, type, time, subject: key, ...(again ? { again } : {}) } as const;
  return { ...about, datacontenttype: 'application/json', data: value };
}

/**
 * Returns undefined if the record is not one of our messages. `own` is false for a message of another log. Messages of
 * earlier versions, whose source does not name a log, are treated as own.
 */
export function messageIn(
  { key, value }: Pick<KafkaMessage, 'key' | 'value'>,
  ours = envelopeSource(),
): { readonly message: Message; readonly own: boolean } | undefined {
  const event = parsed(value?.toString('utf8') ?? '');
  if (typeof event !== 'object' || event === null) return undefined;
  const { specversion, id, source, subject, data, again } = event as Partial<CloudEvent>;
  if (specversion !== '1.0' || typeof id !== 'string' || typeof data !== 'object' || data === null) return undefined;
  if (typeof subject !== 'string' || Array.isArray(data)) return undefined;
  const message = { id, key: key?.toString('utf8') ?? subject, value: data as JsonObject };
  const own = ours === anySource || source === ours || source === anySource;
  return { message: again === true ? { ...message, again } : message, own };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
