import { Injectable, Logger } from '@nestjs/common';
import { type RecordedOccurrenceEvent, startingSaga } from '../../areas/triggers/schedule/occurrence.record.js';
import { ScheduleDeletion } from '../../areas/triggers/schedule/schedule-deletion.api.js';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import { ReplaySwitches } from '../../engine/retention/replay-switches.js';
import type { Saga } from '../../engine/sagas/saga.js';
import { Targets } from '../../engine/scopes/targets.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { Refusal } from '../../kernel/refusals/refusal.js';

type Fired = Extract<RecordedOccurrenceEvent, { type: 'OccurrenceFired' }>;

/** Starts the target of a schedule that has fired, even if the process that recorded the occurrence has died. */
@Injectable()
export class FiredSchedulesStartTheirTargets implements Saga {
  private readonly log = new Logger('Schedules');
  readonly name = startingSaga;
  readonly reads = ['OccurrenceFired'];
  readonly atOnce = 500;
  readonly skipsHistory = true;

  constructor(
    private readonly targets: Targets,
    private readonly switches: ReplaySwitches,
    private readonly deletion: ScheduleDeletion,
  ) {}

  async react(event: RecordedEvent, call: (step: string) => OperationContext): Promise<void> {
    const { data, metadata } = event as Fired;
    const { workspaceId, id } = parseStream(event.stream);
    const { runId, firedAt, name, targetKind: kind, targetRef: ref, params = {} } = data;
    const target = { kind, ref };
    const starter = { kind: 'schedule', id, name } as const;
    try {
      await this.targets.start([
        {
          workspaceId,
          target,
          runId,
          input: { ...params, _schedule: { id, firedAt } },
          source: 'schedule',
          starter,
          actor: metadata.actor,
          correlationId: metadata.correlationId,
          causationId: event.id,
          eventDepth: 0,
          keepInput: await this.switches.allows(workspaceId, starter),
        },
      ]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // If the target was deleted while the schedule was created, the schedule may still exist and is deleted here.
      if (error.kind === 'not-found') return this.deletion.withoutTarget(id, target, call('target-gone'));
      // Unlike an unavailable store, a used-up quota may last for hours. If these runs waited for it to end, they would
      // all start at once.
      if (error.kind === 'unavailable') throw error;
      this.log.warn(`The schedule ${name} could not start its target: ${error.message}`);
    }
  }
}
