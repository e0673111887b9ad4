import { shapeOf } from '../../../kernel/field/field.js';
import { answerSpecs, specsInOrder } from '../../../kernel/noun/noun-specs.js';
import { type EventTrigger, eventTriggers } from './event-trigger.record.js';

export interface TriggerRecord extends Pick<EventTrigger, 'id' | keyof typeof eventTriggers.fields> {
  /** `null` if the target was deleted. */
  readonly targetName: string | null;
  /** Skipped runs do not count. `null` if no run was started. */
  readonly lastFiredAt: string | null;
  readonly fireCount: number;
}

const specs = specsInOrder(
  {
    id: { type: 'string' },
    ...answerSpecs(eventTriggers.fields),
    targetName: { type: 'string', nullable: true, description: 'null if the target no longer exists.' },
    lastFiredAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last event for which the trigger started a run. null if it has not started one.',
    },
    fireCount: { type: 'integer', description: 'Number of runs that the trigger has started.' },
  },
  [
    ...['id', 'name', 'event', 'filters', 'targetKind', 'targetRef', 'targetName'],
    ...['config', 'isActive', 'lastFiredAt', 'fireCount'],
  ],
);

export const TriggerRecord = shapeOf('TriggerRecord', specs) as unknown as new () => TriggerRecord;
