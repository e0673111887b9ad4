import { Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel/callers/caller.js';
import { type Starter, siteVisited } from '../../kernel/callers/starter.js';
import { derivedId, derivedUuid } from '../../kernel/event/derived-id.js';
import type { Actor, RecordedEvent } from '../../kernel/event/event.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import type { OperationContext } from './operation-context.js';

@Injectable()
export class Calls {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly vault: Vault,
  ) {}

  /** Repetitions with the same idempotency key get the same command id and derive the same ids. */
  by(caller: Caller, operation: string, idempotencyKey?: string): OperationContext {
    const actor = actorOf(caller);
    if (idempotencyKey === undefined) return this.once(caller.workspaceId, actor, operation, caller);
    const commandId = derivedUuid(`${caller.workspaceId}/${caller.kind}/${caller.id}/${idempotencyKey}`);
    const call = this.repeatable(caller.workspaceId, actor, operation, commandId);
    return { ...call, caller };
  }

  /** The ids are random, so the action cannot be repeated under the same ids. */
  once(workspaceId: string, actor: Actor, operation: string, caller?: Caller): OperationContext {
    const commandId = this.ids.uuid();
    return {
      ...this.base(workspaceId, actor, operation, commandId),
      ...(caller === undefined ? {} : { caller }),
      repeatable: false,
      newId: (prefix) => this.ids.newId(prefix),
      newToken: () => this.ids.token(),
    };
  }

  visiting(
    site: { readonly workspaceId: string; readonly id: string },
    actor: Actor,
    operation: string,
  ): OperationContext {
    return { ...this.once(site.workspaceId, actor, operation), visitedSite: site.id };
  }

  /** The command id is derived from saga, event and step, so it is the same each time the event is handled. */
  because(event: RecordedEvent, saga: string, step: string): OperationContext {
    const commandId = derivedUuid(`${saga}/${event.id}/${step}`);
    const call = this.repeatable(event.metadata.workspaceId, systemActor(saga), saga, commandId);
    const { correlationId } = event.metadata;
    return { ...call, notBefore: event.position, correlationId, causationId: event.id };
  }

  within(
    run: {
      readonly workspaceId: string;
      readonly runId: string;
      readonly correlationId: string;
      readonly starter: Starter;
    },
    actor: Actor,
    operation: string,
  ): OperationContext {
    return {
      ...this.once(run.workspaceId, actor, operation),
      visitedSite: siteVisited(run.starter),
      correlationId: run.correlationId,
      causationId: run.runId,
    };
  }

  /** The command id is derived from `from`, so it is the same at each call. */
  derived(from: {
    readonly workspaceId: string;
    readonly actor: Actor;
    readonly operation: string;
    readonly from: string;
    readonly correlationId: string;
    readonly causationId: string | null;
    readonly notBefore: number;
  }): OperationContext {
    const { workspaceId, actor, operation, notBefore, correlationId, causationId } = from;
    const call = this.repeatable(workspaceId, actor, operation, derivedUuid(`${workspaceId}/${from.from}`));
    return { ...call, notBefore, correlationId, causationId };
  }

  private repeatable(workspaceId: string, actor: Actor, operation: string, commandId: string): OperationContext {
    let made = 0;
    return {
      ...this.base(workspaceId, actor, operation, commandId),
      repeatable: true,
      newId: (prefix) => derivedId(prefix, `${commandId}/${made++}`),
      newToken: () => this.vault.derive(`${commandId}/${made++}`),
    };
  }

  private base(workspaceId: string, actor: Actor, operation: string, commandId: string) {
    const at = new Date(this.clock.now()).toISOString();
    return {
      workspaceId,
      actor,
      operation,
      commandId,
      correlationId: commandId,
      causationId: null,
      at,
    };
  }
}

export const systemActor = (name: string): Actor => ({ kind: 'system', id: 'system', name });

export function actorOf(caller: Caller): Actor {
  const { kind, id, name, personBehind, makers = [] } = caller;
  const behind = personBehind === undefined ? {} : { personBehind };
  return { kind, id, name, ...behind, ...(makers.length === 0 ? {} : { makers }) };
}

export const operator: Actor = { kind: 'operator', id: 'operator', name: 'Operator' };
