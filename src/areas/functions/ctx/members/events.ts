import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { AccountEventLog } from '../account-event-log.api.js';
import { type CtxMember, ctxMember } from '../ctx-member.js';

const known = ['subject', 'properties', 'idempotencyKey'];

const isObjectOrNone = (value: Json | undefined): value is JsonObject | undefined =>
  value === undefined || isJsonObject(value);

export const eventMembers: readonly CtxMember[] = [
  /** The limits of the operation accountEvents/raise apply (settled questions Q-A69 and Q-L01). */
  ctxMember({ log: AccountEventLog })({
    name: 'events.emit',
    usage:
      '(name, { subject?, properties?, idempotencyKey? }): records the event custom.<name>; resolves to { recorded, event }.',
    recordedAs: 'accountEvents/raise',
    args: ([name, options = {}], no) => {
      if (typeof name !== 'string' || !isJsonObject(options)) return no('takes a name and an object of options');
      const unknown = Object.keys(options).find((key) => !known.includes(key));
      if (unknown !== undefined) return no(`does not know the option ${unknown}`);
      const { subject, properties, idempotencyKey } = options;
      if (!isObjectOrNone(subject) || !isObjectOrNone(properties)) return no('takes objects as subject and properties');
      if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string')
        return no('takes a text as idempotencyKey');
      return { name, subject, properties, idempotencyKey };
    },
    call: async (event, { scope, log, newCall }) => {
      const { id, name } = scope.function;
      const { neverDeletes, eventDepth = 0 } = scope.request;
      const call = { ...newCall(), actor: { kind: 'function', id, name } as const };
      return { ...(await log.record(call, { ...event, neverDeletes }, 'function', eventDepth)) };
    },
  }),
];
