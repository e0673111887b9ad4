import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { Dependents, OwnerRules } from '../ownership/dependents.js';
import type { Saga } from './saga.js';

type CallFor = (step: string) => OperationContext;

export interface OwnerSagaOptions {
  readonly name: string;
  readonly rules: OwnerRules;
  /** If empty, the saga ends only late dependents, i.e. those that are created after their owner's deletion. */
  readonly deletedBy: readonly string[];
  readonly leavesLateOnes?: true;
  readonly atOnce?: number;
  first?(event: RecordedEvent): Promise<void>;
  /** Returns true to ignore the event, e.g. because the owner was deleted together with its project. */
  skips?(event: RecordedEvent): Promise<boolean>;
  readonly beside?: { readonly types: readonly string[]; react(event: RecordedEvent, callFor: CallFor): Promise<void> };
  callsFor?(event: RecordedEvent): CallFor;
}

/**
 * Each kind of owner has its own saga and checkpoint, so an owner with a million dependents delays only owners of the
 * same kind. The saga's name must not change, because recorded events contain it and the checkpoint has this name.
 */
export class OwnerSaga implements Saga {
  readonly name: string;
  readonly atOnce: number;
  readonly reactToAll?: (events: readonly RecordedEvent[]) => Promise<void>;

  constructor(
    private readonly options: OwnerSagaOptions,
    private readonly dependents: Dependents,
  ) {
    const { name, atOnce = 1, callsFor } = options;
    this.name = name;
    this.atOnce = atOnce;
    if (callsFor !== undefined) this.reactToAll = (events) => dependents.endLate(options.rules, events, callsFor);
  }

  /** A getter, because dependents are registered after this saga is constructed. */
  get reads(): readonly string[] {
    const { deletedBy, leavesLateOnes, beside, rules } = this.options;
    return [...deletedBy, ...(beside?.types ?? []), ...(leavesLateOnes ? [] : this.dependents.madeTypes(rules.kind))];
  }

  async react(event: RecordedEvent, callFor: CallFor): Promise<void> {
    const { rules, deletedBy, first, skips, beside } = this.options;
    if (beside?.types.includes(event.type)) return beside.react(event, callFor);
    if (await skips?.(event)) return;
    if (!deletedBy.includes(event.type)) return this.dependents.endLate(rules, [event], () => callFor);
    await first?.(event);
    const { category, workspaceId, id } = parseStream(event.stream);
    const owner = { kind: rules.kind, category, workspaceId, id, deletedAt: event.position };
    await this.dependents.endAll(rules, owner, callFor);
  }
}
