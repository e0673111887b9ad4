import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import type { Actor } from '../../../../kernel/event/event.js';
import type { Agent } from '../../../workspace/agent/agent.record.js';
import { wholeGrants } from '../function.js';
import type { FunctionDocument, Grants } from '../function.record.js';

export interface Changer {
  readonly by: Actor;
  /** Grants of the agent or of the running function that makes the change; undefined for other callers. */
  readonly own?: Grants | undefined;
}

export async function changerOf({ actor: by, caller, workspaceId }: OperationContext, reads: Reads): Promise<Changer> {
  if (caller?.kind === 'agent') {
    const agent = await reads.get<Agent>(workspaceId, 'agents', caller.id);
    return { by, own: wholeGrants(agent?.grants ?? {}) };
  }
  if (by.kind !== 'function') return { by };
  const fn = await reads.get<FunctionDocument>(workspaceId, 'functions', by.id);
  return { by, own: wholeGrants(fn?.grants ?? {}) };
}
