import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/operation/calls.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import { AccountEventLog } from './account-event-log.api.js';
import { refusedCall } from './capability-refusals.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';

const known = ['subject', 'properties', 'idempotencyKey'];

/**
 * `ctx.events.emit(name, { subject?, properties?, idempotencyKey? })`: records the event `custom.<name>` and resolves
 * to `{ recorded, event }` (settled questions Q-A69 and Q-L01). The limits of `raise` apply.
 */
@Injectable()
export class EventsEmit implements CapabilityMaker {
  readonly usage =
    'ctx.events.emit(name, { subject?, properties?, idempotencyKey? }): records the event custom.<name>; resolves to { recorded, event }.';

  constructor(
    private readonly log: AccountEventLog,
    private readonly calls: Calls,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'events.emit', call: (args) => this.emit(scope, args) };
  }

  private async emit({ request, function: { id, name } }: RunScope, args: readonly Json[]): Promise<Json> {
    const [event, options = {}] = args;
    if (typeof event !== 'string' || !isObject(options)) return no('takes a name and an object of options');
    const unknown = Object.keys(options).find((key) => !known.includes(key));
    if (unknown !== undefined) return no(`does not know the option ${unknown}`);
    const { subject, properties, idempotencyKey } = options;
    if (!isObjectOrNone(subject) || !isObjectOrNone(properties)) return no('takes objects as subject and properties');
    if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') return no('takes a text as idempotencyKey');
    const call = this.calls.within(request, { kind: 'function', id, name }, 'accountEvents/raise');
    try {
      const { neverDeletes } = request;
      const raised = { name: event, subject, properties, idempotencyKey, neverDeletes };
      return { ...(await this.log.record(call, raised, 'function', request.eventDepth ?? 0)) };
    } catch (error) {
      throw refusedCall(error);
    }
  }
}

function no(what: string): never {
  throw new CapabilityRefused(`ctx.events.emit ${what}.`, 'invalid-input', 400);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObjectOrNone = (value: Json | undefined): value is JsonObject | undefined =>
  value === undefined || isObject(value);
