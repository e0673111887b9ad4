import { mustBeStorable } from '../../engine/operation/validation.js';
import type { Json, JsonObject } from '../../kernel/json/json.js';
import { refuse } from '../http.refusals.js';

const types = [
  'subscribe',
  'unsubscribe',
  'publish',
  'presence',
  'subscribe-rows',
  'unsubscribe-rows',
  'ping',
] as const;

export interface ClientMessage {
  readonly type: (typeof types)[number];
  /** Chosen by the client. Responses to this message contain it. */
  readonly id: string | number | undefined;
  readonly channel: Json | undefined;
  readonly data: Json | undefined;
  readonly table: Json | undefined;
  readonly filter: Json | undefined;
}

const longestId = 100;

/** @throws Refusal realtime-message-unknown, realtime-id-invalid, invalid-input */
export function readMessage(text: string): ClientMessage {
  const sent = objectIn(text);
  const type = types.find((one) => one === sent['type']) ?? refuse('realtime-message-unknown');
  const { channel, data, table, filter } = sent;
  const id = idOf(sent);
  mustBeStorable(sent);
  return { type, id, channel, data, table, filter };
}

export function idIn(text: string): string | number | undefined {
  try {
    return idOf(objectIn(text));
  } catch {
    return undefined;
  }
}

function objectIn(text: string): JsonObject {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    refuse('realtime-message-unknown');
  }
  const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
  return isObject ? (sent as JsonObject) : refuse('realtime-message-unknown');
}

function idOf({ id }: JsonObject): string | number | undefined {
  if (id === undefined || Number.isFinite(id)) return id as number | undefined;
  return typeof id === 'string' && id.length <= longestId ? id : refuse('realtime-id-invalid');
}
