import { Injectable } from '@nestjs/common';
import type { Recorded } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import { recordKind } from '../../kernel/record/record.js';
import { EventStore } from '../../ports/event-store.port.js';
import type { Call } from '../operation/call.js';
import { Reads } from './reads.js';
import { isAgents, Scopes } from './scopes.js';

export interface Resource {
  readonly kind: string;
  readonly id: string;
}

interface Placed extends Resource {
  readonly projectId: string;
}

/**
 * Which records an agent may read about, in the audit or on a card: those whose project lets it use the operation that
 * shows them. Of a project that is gone it reads nothing. Projects narrow no other callers.
 */
@Injectable()
export class RecordScopes {
  constructor(
    private readonly store: EventStore,
    private readonly reads: Reads,
    private readonly scopes: Scopes,
  ) {}

  /** @throws Refusal ai-permission-missing, site-not-found */
  async mustBeOpen(call: Call, resource: Resource): Promise<void> {
    if (!isAgents(call)) return;
    const placed = await this.placeOf(call.workspaceId, resource);
    if (placed !== undefined) await this.scopes.allow(showing(call, placed.kind), placed.projectId);
  }

  /** Judges the resources of one answer, each once. */
  judge(call: Call): (resource: Resource) => Promise<boolean> {
    if (!isAgents(call)) return async () => true;
    const open = new Map<string, ReturnType<Scopes['openTo']>>();
    const judged = new Map<string, Promise<boolean>>();
    const judge = async (resource: Resource) => {
      const placed = await this.placeOf(call.workspaceId, resource);
      if (placed === undefined) return true;
      const isOpen = open.get(placed.kind) ?? this.scopes.openTo(showing(call, placed.kind));
      open.set(placed.kind, isOpen);
      return (await isOpen)(placed.projectId);
    };
    return (resource) => {
      const key = `${resource.kind} ${resource.id}`;
      const verdict = judged.get(key) ?? judge(resource);
      judged.set(key, verdict);
      return verdict;
    };
  }

  /** By what the record is now and by what it was when it began, since what is deleted keeps its project. */
  private async placeOf(workspaceId: string, { kind, id }: Resource): Promise<Placed | undefined> {
    const aggregate = recordKind(kind);
    if (aggregate === undefined) return undefined;
    if (aggregate.is === 'project') return { kind, id, projectId: id };
    const [first] = await this.store.readStream(streamOf(kind, workspaceId, id), { limit: 1 });
    // Runs name functions of sites by the kind of all functions.
    if (first === undefined) return kind === 'function' ? this.placeOf(workspaceId, { kind: ofSites, id }) : undefined;
    const { collection } = aggregate;
    const now = collection && (await this.reads.get(workspaceId, collection.name, id));
    for (const one of [now, first.data, aggregate.begin(first as Recorded<never>)]) {
      const { projectId, targetKind, targetRef, target } = (one ?? {}) as Naming;
      if (typeof projectId === 'string') return { kind, id, projectId };
      const led = targetKind === 'site_function' ? { kind: ofSites, id: String(targetRef) } : target;
      const placed = led && (await this.placeOf(workspaceId, led));
      if (placed !== undefined) return { kind, id, projectId: placed.projectId };
    }
    return undefined;
  }
}

const ofSites = 'siteFunction';

/** How records name their project, the function that they start, or what a card would change. */
interface Naming {
  readonly projectId?: unknown;
  readonly targetKind?: unknown;
  readonly targetRef?: unknown;
  readonly target?: Resource;
}

/** The same call as one of the operation that shows such a record. */
const showing = (call: Call, kind: string): Call => ({ ...call, operation: recordKind(kind)?.shownBy ?? kind });
