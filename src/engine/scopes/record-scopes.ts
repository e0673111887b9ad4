import { Injectable } from '@nestjs/common';
import type { Recorded } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { recordKind } from '../../kernel/record/record.js';
import { EventStore } from '../../ports/event-store.port.js';
import type { OperationContext } from '../operation/operation-context.js';
import { Reads } from './reads.js';
import { isConfined, Scopes } from './scopes.js';

export interface Resource {
  readonly kind: string;
  readonly id: string;
}

interface InProject extends Resource {
  readonly projectId: string;
}

/**
 * Decides which records an agent or running code may read in the audit and on approval cards. The caller must have
 * access, in the record's project, to the operation that shows such records. Nothing about a deleted project may be
 * read.
 */
@Injectable()
export class RecordScopes {
  constructor(
    private readonly store: EventStore,
    private readonly reads: Reads,
    private readonly scopes: Scopes,
  ) {}

  /** @throws Refusal ai-permission-missing, site-not-found */
  async mustBeOpen(call: OperationContext, resource: Resource): Promise<void> {
    if (!isConfined(call)) return;
    const owned = await this.inProjectOf(call.workspaceId, resource);
    if (owned !== undefined) await this.scopes.allow(showing(call, owned.kind), owned.projectId);
  }

  judge(call: OperationContext): (resource: Resource) => Promise<boolean> {
    if (!isConfined(call)) return async () => true;
    const open = new Map<string, ReturnType<Scopes['openTo']>>();
    const judged = new Map<string, Promise<boolean>>();
    const judge = async (resource: Resource) => {
      const owned = await this.inProjectOf(call.workspaceId, resource);
      if (owned === undefined) return true;
      const isOpen = open.get(owned.kind) ?? this.scopes.openTo(showing(call, owned.kind));
      open.set(owned.kind, isOpen);
      return (await isOpen)(owned.projectId);
    };
    return (resource) => {
      const key = `${resource.kind} ${resource.id}`;
      const verdict = judged.get(key) ?? judge(resource);
      judged.set(key, verdict);
      return verdict;
    };
  }

  /**
   * A deleted record's project is read from its first event. A record without a project of its own belongs to the
   * project of its target.
   */
  private async inProjectOf(workspaceId: string, { kind, id }: Resource): Promise<InProject | undefined> {
    const aggregate = recordKind(kind);
    if (aggregate === undefined) return undefined;
    if (aggregate.is === 'project') return { kind, id, projectId: id };
    const [first] = await this.store.readStream(streamOf(kind, workspaceId, id), { limit: 1 });
    // A run refers to its function with the kind `function`, even if the function belongs to a site. So a function that
    // is not found is looked up among the sites' functions.
    if (first === undefined)
      return kind === 'function' ? this.inProjectOf(workspaceId, { kind: ofSites, id }) : undefined;
    const { collection } = aggregate;
    const now = collection && (await this.reads.get(workspaceId, collection.name, id));
    for (const one of [now, first.data, aggregate.begin(first as Recorded<never>)]) {
      const { projectId, targetKind, targetRef, target } = (one ?? {}) as Naming;
      if (typeof projectId === 'string') return { kind, id, projectId };
      const led = targetKind === 'site_function' ? { kind: ofSites, id: String(targetRef) } : target;
      const owned = led && (await this.inProjectOf(workspaceId, led));
      if (owned !== undefined) return { kind, id, projectId: owned.projectId };
    }
    return undefined;
  }
}

const ofSites = 'siteFunction';

interface Naming {
  readonly projectId?: unknown;
  readonly targetKind?: unknown;
  readonly targetRef?: unknown;
  readonly target?: Resource;
}

/** Returns the call as one of the operation that shows records of this kind. */
export const showing = (call: OperationContext, kind: string): OperationContext => ({
  ...call,
  operation: recordKind(kind)?.shownBy ?? kind,
});
