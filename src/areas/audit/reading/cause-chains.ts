import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordScopes, type Resource } from '../../../engine/scopes/record-scopes.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../audit.refusals.js';
import { maySee } from '../audit-visibility.api.js';
import type { EffectRecord } from './audit-answers.api.js';
import { AuditReading } from './audit-reading.api.js';
import { CauseGraph } from './cause-graph.js';
import type { CauseNode } from './cause-node.js';

const mostSteps = 64;

interface ChainQuery {
  readonly eventId?: string;
  readonly runId?: string;
}

@Injectable()
export class CauseChains {
  constructor(
    private readonly graph: CauseGraph,
    private readonly reading: AuditReading,
    private readonly scopes: RecordScopes,
  ) {}

  /** Effects that the caller may not see are omitted, but their own effects are followed. */
  async effectsOf(
    call: OperationContext,
    query: ChainQuery & { readonly limit?: number },
  ): Promise<{ effects: readonly EffectRecord[]; cut: boolean }> {
    const { limit = 200 } = query;
    const start = await this.startOf(call, query);
    await this.scopes.mustBeOpen(call, subjectOf(start));
    const isOpen = this.scopes.judge(call);
    await this.reading.record(call, query);
    const seen = new Set([start.id]);
    const effects: EffectRecord[] = [];
    let causes: readonly string[] = [start.id];
    for (let step = 1; causes.length > 0; step++) {
      if (step > mostSteps) return { effects, cut: true };
      const found = await this.graph.effects(call.workspaceId, causes, limit + 1);
      const fresh = found.filter(({ id }) => !seen.has(id));
      for (const node of fresh) {
        if (effects.length === limit) return { effects, cut: true };
        seen.add(node.id);
        if (maySee(call.caller, node.kind) && (await isOpen(subjectOf(node)))) effects.push(shown(node, step));
      }
      // Effects that the caller may not see are counted too, so that the work of a call is limited.
      if (seen.size > 10 * limit) return { effects, cut: true };
      causes = fresh.map(({ id }) => id);
    }
    return { effects, cut: false };
  }

  async causesOf(
    call: OperationContext,
    query: ChainQuery,
  ): Promise<{ causes: readonly EffectRecord[]; cut: boolean }> {
    let at = await this.startOf(call, query);
    await this.scopes.mustBeOpen(call, subjectOf(at));
    const isOpen = this.scopes.judge(call);
    await this.reading.record(call, query);
    const causes: EffectRecord[] = [];
    for (let step = 1; at.causedBy !== null; step++) {
      if (step > mostSteps) return { causes, cut: true };
      const cause = await this.graph.any(call.workspaceId, at.causedBy);
      // Retention removes causes, so the chain can end here.
      if (cause === undefined) break;
      if (maySee(call.caller, cause.kind) && (await isOpen(subjectOf(cause)))) causes.push(shown(cause, step));
      at = cause;
    }
    return { causes, cut: false };
  }

  private async startOf({ workspaceId, caller }: OperationContext, { eventId, runId }: ChainQuery): Promise<CauseNode> {
    if ((eventId === undefined) === (runId === undefined)) {
      refuseInput([{ path: 'eventId', message: 'is required if runId is not sent; send only one of them' }]);
    }
    const start =
      eventId === undefined
        ? await this.graph.run(workspaceId, runId ?? '')
        : await this.graph.event(workspaceId, eventId);
    return start !== undefined && maySee(caller, start.kind) ? start : refuse('resource-not-found');
  }
}

function subjectOf({ resource }: CauseNode): Resource {
  const { kind, id } = resource as Partial<Resource>;
  return { kind: String(kind), id: String(id) };
}

function shown({ position, kind: _kind, inAudit, ...node }: CauseNode, step: number): EffectRecord {
  return { ...node, step, ...(inAudit ? { position } : {}) };
}
