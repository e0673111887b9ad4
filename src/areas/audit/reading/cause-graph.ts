import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import type { Document, Where } from '../../../kernel/record/projection.js';
import type { FiringEvent, TriggerRun } from '../../account-events/trigger-run/trigger-run.record.js';
import type { Run } from '../../functions/run/run.record.js';
import type { InboundEmail } from '../../triggers/mailhook/inbound-email.record.js';
import type { AuditEntry } from './audit-reading.record.js';
import {
  type CauseNode,
  nodeOfEntry,
  nodeOfFiring,
  nodeOfMail,
  nodeOfRun,
  nodeOfSkipped,
  nodeOfStepRun,
} from './cause-node.js';

const stepRuns = [
  { collection: 'flowRuns', kind: 'flow' },
  { collection: 'agentRuns', kind: 'agent' },
] as const;

const fewCauses = 20;

/**
 * The nodes are recorded events, runs, skipped runs and received mails. The end of a run is a node only if it fired
 * triggers.
 */
@Injectable()
export class CauseGraph {
  constructor(private readonly reads: Reads) {}

  async event(workspaceId: string, id: string): Promise<CauseNode | undefined> {
    const entry = await this.reads.get<AuditEntry>(workspaceId, 'audit', id);
    if (entry !== undefined) return nodeOfEntry(entry);
    const firing = await this.reads.get<FiringEvent>(workspaceId, 'firingEvents', id);
    if (firing !== undefined) return nodeOfFiring(firing);
    const mail = await this.reads.get<InboundEmail>(workspaceId, 'inboundEmails', id);
    return mail && nodeOfMail(mail);
  }

  async run(workspaceId: string, id: string): Promise<CauseNode | undefined> {
    const run = await this.reads.get<Run>(workspaceId, 'runs', id);
    if (run !== undefined) return nodeOfRun(run);
    for (const { collection, kind } of stepRuns) {
      const found = await this.reads.get<StepRun>(workspaceId, collection, id);
      if (found !== undefined) return nodeOfStepRun(found, kind);
    }
    const skipped = await this.reads.get<TriggerRun>(workspaceId, 'triggerRuns', id);
    return skipped?.status === 'skipped' ? nodeOfSkipped(skipped) : undefined;
  }

  async any(workspaceId: string, id: string): Promise<CauseNode | undefined> {
    return (await this.event(workspaceId, id)) ?? this.run(workspaceId, id);
  }

  async effects(workspaceId: string, causes: readonly string[], most: number): Promise<readonly CauseNode[]> {
    const by = (field: string) => ({ field, causes, most });
    const caused = by('causationId');
    const [entries, runs, firings, skipped, ...ofSteps] = await Promise.all([
      this.find<AuditEntry>(workspaceId, 'audit', caused),
      this.find<Run>(workspaceId, 'runs', caused),
      this.find<FiringEvent>(workspaceId, 'firingEvents', caused),
      this.find<TriggerRun>(workspaceId, 'triggerRuns', by('eventId'), { status: 'skipped' }),
      ...stepRuns.map(async ({ collection, kind }) => {
        const found = await this.find<StepRun>(workspaceId, collection, caused);
        return found.map((one) => nodeOfStepRun(one, kind));
      }),
    ]);
    const known = new Set(entries.map(({ id }) => id));
    const nodes = [
      ...entries.map(nodeOfEntry),
      ...firings.filter(({ id }) => !known.has(id)).map(nodeOfFiring),
      ...runs.map(nodeOfRun),
      ...skipped.map(nodeOfSkipped),
      ...ofSteps.flat(),
    ];
    return nodes.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  }

  private async find<D extends Document & { readonly position: number }>(
    workspaceId: string,
    collection: string,
    { field, causes, most }: { readonly field: string; readonly causes: readonly string[]; readonly most: number },
    also: Where = {},
  ): Promise<readonly D[]> {
    const wheres = causes.length > fewCauses ? [{ in: causes }] : causes;
    const sort = [['position', 'asc']] as const;
    const found = await Promise.all(
      wheres.map((cause) =>
        this.reads.find<D>(workspaceId, collection, { where: { [field]: cause, ...also }, sort, limit: most }),
      ),
    );
    return found
      .flat()
      .sort((a, b) => a.position - b.position)
      .slice(0, most);
  }
}
