import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { AccountEventLog } from '../../functions/ctx/account-event-log.api.js';
import { checkRaised, type RaisedBy } from './account-event.js';
import { type AccountEventFacts, accountEvents } from './account-event.record.js';

export interface Raised {
  /** False if the idempotency key was used before. */
  readonly recorded: boolean;
  readonly event: string;
}

@Injectable()
export class AccountEventRecord extends AccountEventLog {
  constructor(
    private readonly runner: CommandRunner,
    private readonly quota: RecordingQuota,
  ) {
    super();
  }

  /**
   * Records an event that a function or a flow raised directly, and not through the operation `accountEvents/raise`.
   * @throws Refusal invalid-input, workspace-quota
   */
  override async record(call: OperationContext, raised: RaisedBy, origin: string, depth: number): Promise<Raised> {
    await this.quota.mustHaveRoom(call);
    return (await this.recordOnce(call, raised, origin, depth)).raised;
  }

  /**
   * If the idempotency key was used before, nothing is recorded, and the facts are those of the first event with that
   * key.
   * @throws Refusal invalid-input
   */
  async recordOnce(
    call: OperationContext,
    sent: RaisedBy,
    origin: string,
    depth: number,
  ): Promise<{ readonly raised: Raised; readonly facts: AccountEventFacts }> {
    checkRaised(sent);
    const { name, subject = {}, properties = {}, idempotencyKey, neverDeletes } = sent;
    const narrowed = neverDeletes ? ({ neverDeletes } as const) : {};
    const own: AccountEventFacts = { name: `custom.${name}`, origin, subject, properties, depth, ...narrowed };
    const keyed =
      idempotencyKey === undefined ? undefined : derivedId('event', `${call.workspaceId}/${idempotencyKey}`);
    // True at first, because `decide` is not called if an earlier attempt of this command recorded the event.
    let recorded = true;
    const event = await this.runner.change(call, {
      aggregate: accountEvents,
      id: keyed ?? call.newId('event'),
      // With an idempotency key, the stream can exist already. Its first event then applies instead of the new one
      // (settled question Q-E09).
      begins: keyed === undefined ? true : 'perhaps',
      decide: (there) => {
        recorded = there === undefined;
        return recorded ? [{ type: 'AccountEventRecorded' as const, data: own }] : [];
      },
    });
    const facts = event ?? own;
    return { raised: { recorded, event: facts.name }, facts };
  }
}
