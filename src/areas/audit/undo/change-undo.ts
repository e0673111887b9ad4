import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { RecordRestore } from '../../../engine/commands/record-restore.js';
import { currentDryRun } from '../../../engine/dry-run/dry-run.js';
import { RightsDecisions } from '../../../engine/explain/rights-decisions.js';
import { findOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PendingApproval } from '../../../engine/operation/pending-approval.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, recordKind } from '../../../kernel/record/record.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { settingsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { refuse } from '../audit.refusals.js';
import { maySee } from '../audit-visibility.api.js';
import type { AuditEntry } from '../reading/audit-reading.record.js';
import { StateAt } from '../states/state-at.api.js';
import { StateView } from '../states/state-view.api.js';
import type { ShownState } from './changed-fields.js';
import { planFor, undoingOf, undoPlan, unseenBy, type Whose } from './undo-plan.js';

type Kind = RecordAggregate<Document, DomainEvent>;
type PersonsCall = OperationContext & { readonly caller: Caller };

interface Undone {
  readonly operation: string;
  readonly waits: readonly object[];
}

const mostSince = 50;

@Injectable()
export class ChangeUndo {
  constructor(
    private readonly reads: Reads,
    private readonly store: EventStore,
    private readonly folds: StateAt,
    private readonly view: StateView,
    private readonly pipeline: Pipeline,
    private readonly returns: RecordRestore,
    private readonly decisions: RightsDecisions,
  ) {}

  /** @param position log position of the event to undo */
  async of({ caller, ...given }: OperationContext, position: number): Promise<object> {
    if (caller === undefined) return refuse('resource-not-found');
    const entry = await this.reads.first<AuditEntry>(given.workspaceId, 'audit', { position });
    const kind = entry && recordKind(entry.kind);
    if (entry === undefined || kind === undefined || !maySee(caller, entry.kind)) return refuse('resource-not-found');
    const [last] = await this.store.readStream(entry.stream, { direction: 'backward', limit: 1 });
    // If this is a repeated command, events that its first attempt recorded must not be treated as a conflict.
    const own = await this.recordedBy(given, entry);
    const revision = own === undefined ? (last?.revision ?? -1) : own.revision - 1;
    const moved = () => refuse('undo-conflict');
    const call = { ...given, caller, causationId: entry.id, expects: [{ stream: entry.stream, revision, moved }] };
    const upTo = own === undefined ? Number.MAX_SAFE_INTEGER : own.position - 1;
    const done = await this.undo(call, kind, entry, upTo).catch((error) => this.withEventsSince(entry, error));
    const [undone] = await this.store.readStream(entry.stream, { from: revision + 1, limit: 1 });
    const waits = done.waits.length === 0 ? {} : { waits: done.waits };
    // The events of a dry run have no position, so `position` is then null.
    const answer = {
      success: true,
      operation: done.operation,
      position: undone && currentDryRun() === undefined ? undone.position : null,
      ...waits,
    };
    return done.waits.length === 0 ? answer : new PendingApproval({}, answer);
  }

  private async recordedBy({ repeatable, commandId }: OperationContext, { stream, revision }: AuditEntry) {
    if (!repeatable) return undefined;
    const since = await this.store.readStream(stream, { from: revision + 1 });
    return since.find(({ metadata }) => metadata.commandId === commandId);
  }

  /** If the error is a conflict, its details get the last 50 events since the change, newest last. */
  private async withEventsSince({ stream, revision }: AuditEntry, error: unknown): Promise<never> {
    if (!(error instanceof Refusal) || error.code !== 'undo-conflict') throw error;
    const newest = await this.store.readStream(stream, { direction: 'backward', limit: mostSince });
    const since = newest.filter((event) => event.revision > revision).reverse();
    const listed = since.map(({ position, type, metadata: { at, actor } }) => {
      return { position, type, at, by: { kind: actor.kind, id: actor.id, name: actor.name } };
    });
    return refuse('undo-conflict', undefined, { details: { ...error.facts.details, since: listed } });
  }

  private async undo(
    call: PersonsCall,
    kind: Kind,
    { stream, position, resourceId, id, type }: AuditEntry,
    upToNow: number,
  ): Promise<Undone> {
    const at = async (upTo: number) => (await this.folds.at(kind, stream, { position: upTo })).state;
    const [former, after, now] = [await at(position - 1), await at(position), await at(upToNow)];
    const [before, made, present] = [
      await this.viewOf(kind, former),
      await this.viewOf(kind, after),
      await this.viewOf(kind, now),
    ];
    const projectId = projectOf(kind, resourceId, now ?? former ?? after);
    const whose = { id: resourceId, projectId, position, isOver: now === undefined };
    const settings = { ...(await settingsOf(this.reads, call.workspaceId)) };
    const undoing = undoingOf(kind.undoing as never, type, settings);
    const plan = undoPlan(undoing, whose, { before, after: made, now: present });
    if (!('returns' in plan)) return this.runPart(call, plan.operation.name, plan.input);
    this.decisions.authorise(plan.makes, call.caller);
    if (former === undefined) return kind.missing();
    const back = await this.returns.restore(call, kind, former, id);
    if (back === undefined) return refuse('undo-conflict');
    return { operation: call.operation, waits: await this.requestMissing(call, kind, whose, before ?? {}, back) };
  }

  /**
   * A restored record can lack fields whose values need approval, such as powers. For each, calls the operation that
   * sets its previous value. Returns the changes that wait for approval, and the refusals.
   */
  private async requestMissing(
    call: PersonsCall,
    kind: Kind,
    whose: Whose,
    before: ShownState,
    back: Document,
  ): Promise<readonly object[]> {
    const asks = typeof kind.undoing === 'string' ? [] : (kind.undoing.returns?.asks ?? []);
    const now = (await this.viewOf(kind, back)) ?? {};
    const waits: object[] = [];
    for (const { field, operation: name, as = field } of asks) {
      const operation = findOperation(name);
      if (operation === undefined || !isLacking(before[field], now[field])) continue;
      const plan = planFor(operation, whose, { [as]: before[field] }, now);
      if (plan === undefined || 'returns' in plan) continue;
      const { expects: _, ...rest } = call;
      // Each call needs its own command id. With the id of the restore, it would be treated as a repetition of the
      // restore.
      waits.push(...(await this.runOrReport({ ...rest, commandId: `${call.commandId}/${name}` }, name, plan.input)));
    }
    return waits;
  }

  /**
   * Returns a refusal and does not throw it, because the record has already been restored. Only a refusal of the kind
   * `unavailable` is thrown.
   */
  private async runOrReport(call: PersonsCall, name: string, input: ShownState): Promise<readonly object[]> {
    try {
      return (await this.runPart(call, name, input)).waits;
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      return [{ operation: name, refused: error.message }];
    }
  }

  private async runPart(call: PersonsCall, name: string, input: ShownState): Promise<Undone> {
    const operation = findOperation(name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const { body, waiting } = await this.pipeline.asPart(operation, input, { ...call, judgedAs: name });
    return { operation: name, waits: waiting ? [body as object] : [] };
  }

  private async viewOf(kind: Kind, state: Document | undefined): Promise<ShownState | null> {
    if (state === undefined) return null;
    const shown = (await this.view.viewOf(kind, state)) as ShownState | null;
    const fields = state as unknown as ShownState;
    const unseen = unseenBy(kind.undoing as never);
    return shown && { ...shown, ...Object.fromEntries(unseen.map((name) => [name, fields[name] ?? null])) };
  }
}

/** The id is read from the state, because some answers do not contain the `projectId`. */
function projectOf(kind: Kind, id: string, state: Document | undefined): string | undefined {
  if (kind.is === 'project') return id;
  return (state as { readonly projectId?: string | null } | undefined)?.projectId ?? undefined;
}

function isLacking(had: unknown, has: unknown): boolean {
  return had !== undefined && !isDeepStrictEqual(had, has) && !(Array.isArray(had) && had.length === 0);
}
