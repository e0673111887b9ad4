import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Actor } from '../../../kernel/event/event.js';
import type { AuditEntry } from './audit-reading.record.js';

export interface UndoneBy {
  readonly position: number;
  readonly at: string;
  readonly by: Pick<Actor, 'kind' | 'id' | 'name'>;
}

interface Shown {
  readonly id: string;
  readonly resource: { readonly kind: string; readonly id: string };
}

/** Commands that record the events of an undo. If an undo needs approval, the approval records them. */
const commands = ['audit/undoChange', 'approvals/approvePendingChange'] as const;

const mostUndosOfUndos = 20;
const mostIds = 200;
const pageSize = 1_000;

/** An undo that was itself undone is ignored. */
@Injectable()
export class UndoneEvents {
  constructor(private readonly reads: Reads) {}

  async shown<Event extends object>(workspaceId: string, events: readonly Event[]): Promise<readonly Event[]> {
    const listed = events as readonly (Event & Shown)[];
    const undone = await this.of(workspaceId, listed, mostUndosOfUndos);
    return listed.map((event) => {
      const undoneBy = undone.get(event.id);
      return undoneBy === undefined ? event : { ...event, undoneBy };
    });
  }

  private async of(
    workspaceId: string,
    events: readonly Shown[],
    times: number,
  ): Promise<ReadonlyMap<string, UndoneBy>> {
    if (events.length === 0 || times === 0) return new Map();
    const found = await this.causedBy(
      workspaceId,
      events.map(({ id }) => id),
    );
    const undos = events.flatMap((event) => undosOf(event, found.get(event.id)).map((undo) => ({ event, undo })));
    const again = await this.of(
      workspaceId,
      undos.map(({ undo }) => shownOf(undo)),
      times - 1,
    );
    const counting = undos.filter(({ undo }) => !again.has(undo.id));
    return new Map(counting.map(({ event, undo }) => [event.id, undoneBy(undo)]));
  }

  /** Returns the events that undos recorded, grouped by the id of the event that was undone, oldest first. */
  private async causedBy(workspaceId: string, ids: readonly string[]) {
    const found: AuditEntry[] = [];
    for (let from = 0; from < ids.length; from += mostIds) {
      const causationId = { in: ids.slice(from, from + mostIds) };
      for (let after: number | undefined = -1; after !== undefined; ) {
        const page: readonly AuditEntry[] = await this.reads.find<AuditEntry>(workspaceId, 'audit', {
          where: { causationId, command: { in: commands }, position: { gt: after } },
          sort: [['position', 'asc']],
          limit: pageSize,
        });
        found.push(...page);
        after = page.length < pageSize ? undefined : page.at(-1)?.position;
      }
    }
    return Map.groupBy(found, ({ causationId }) => causationId);
  }
}

/**
 * Returns one event for each undo of the given event: the first that the undo recorded for the same resource. Ignores
 * further events, which are recorded when a part of the undo is approved.
 */
function undosOf({ resource }: Shown, caused: readonly AuditEntry[] = []): readonly AuditEntry[] {
  return [...Map.groupBy(caused, ({ correlationId }) => correlationId).values()].flatMap((all) => {
    const asked = all.some(({ command }) => command === 'audit/undoChange');
    const own = all.find(({ kind, resourceId }) => kind === resource.kind && resourceId === resource.id);
    return asked && own !== undefined ? [own] : [];
  });
}

const shownOf = ({ id, kind, resourceId }: AuditEntry): Shown => ({ id, resource: { kind, id: resourceId } });

const undoneBy = ({ position, at, actor: { kind, id, name } }: AuditEntry): UndoneBy => {
  return { position, at, by: { kind, id, name } };
};
