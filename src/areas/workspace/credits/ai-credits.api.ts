import { Injectable, Logger } from '@nestjs/common';
import { AggregateLoader } from '../../../engine/commands/aggregate-loader.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { PerDryRun } from '../../../engine/dry-run/dry-run.js';
import { Calls, operator } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { KeyedMutex } from '../../../kernel/keyed-mutex.js';
import { reasonOf } from '../../../kernel/reason.js';
import { EventStoreUnavailable } from '../../../ports/event-store.port.js';
import type { Member } from '../member/member.record.js';
import { workspaces } from '../workspace/workspace.record.js';
import { addCredits, chargeCredit, giveCreditBack, reserveCredit } from './credits.js';
import { type Credits, type CreditsEvent, creditsLeft, creditsOfWorkspace, isReserved } from './credits.record.js';
import { usedUp } from './used-up.js';

type Decide = (credits: Credits | undefined, at: string) => readonly CreditsEvent[];

export interface CreditUse {
  /** A repeated command must use the same id, so that the work is paid for only once. */
  readonly id: string;
  readonly by: EventMetadata;
  /** True if an earlier attempt of the command may have been interrupted. */
  readonly mayComeAgain: boolean;
}

@Injectable()
export class AiCredits {
  private readonly log = new Logger('Credits');
  /** One mutex per workspace. Dry runs have separate ones. */
  private readonly turns = new PerDryRun(() => new KeyedMutex((error) => error instanceof EventStoreUnavailable));

  constructor(
    private readonly runner: CommandRunner,
    private readonly calls: Calls,
    private readonly loader: AggregateLoader,
    private readonly reads: Reads,
  ) {}

  /**
   * The credit is reserved before the work and charged only if the work succeeds. After a crash, the reservation
   * expires within ten minutes. If an earlier attempt was already charged, the work is done again without another
   * charge.
   * @throws Refusal ai-credit-lapsed if the work took longer than the reservation lasts; errors of the work
   */
  async spend<Made>(use: CreditUse, work: () => Promise<Made>): Promise<{ readonly made: Made } | 'used-up'> {
    if (use.mayComeAgain && (await this.wasCharged(use))) return { made: await work() };
    if (!(await this.reserve(use))) return 'used-up';
    const made = await work().catch(async (error: unknown) => {
      await this.giveBack(use);
      throw error;
    });
    await this.change(this.callFor(use), (credits, at) => chargeCredit(credits, use.id, at));
    return { made };
  }

  async usedUp(workspaceId: string): Promise<string> {
    const members = await this.reads.find<Member>(workspaceId, 'members', {
      where: { role: { in: ['owner', 'admin'] } },
      sort: [['createdAt', 'asc']],
    });
    return usedUp(members);
  }

  /**
   * Only for the service's operator. Resolves to the number of remaining credits.
   * @throws Refusal workspace-not-found
   */
  async add(workspaceId: string, amount: number): Promise<number> {
    if ((await this.runner.find(workspaces, workspaceId, workspaceId)) === undefined) workspaces.missing();
    const call = this.calls.once(workspaceId, operator, 'workspace/addCredits');
    return creditsLeft(await this.change(call, (credits) => addCredits(credits, amount)), call.at);
  }

  private async reserve(use: CreditUse): Promise<boolean> {
    const call = this.callFor(use);
    return isReserved(await this.change(call, (credits, at) => reserveCredit(credits, use.id, at)), use.id, call.at);
  }

  /** Does not throw, because the caller must get the error of the work. The reservation expires in any case. */
  private async giveBack(use: CreditUse): Promise<void> {
    try {
      await this.change(this.callFor(use), (credits, at) => giveCreditBack(credits, use.id, at));
    } catch (error) {
      this.log.warn(
        `A reserved AI credit could not be returned; its reservation will expire instead: ${reasonOf(error)}`,
      );
    }
  }

  /**
   * Changes are serialised within this process, because concurrent writes to one stream would conflict repeatedly. If
   * the store is unavailable, all waiting calls fail together with the first one instead of each after a timeout of its
   * own.
   */
  private async change(call: OperationContext, decide: Decide): Promise<Credits | undefined> {
    const { workspaceId } = call;
    return this.turns.now.run(workspaceId, () =>
      this.runner.change(call, {
        aggregate: creditsOfWorkspace,
        id: workspaceId,
        decide: (credits) => decide(credits, call.at),
      }),
    );
  }

  private callFor({ by }: CreditUse): OperationContext {
    const { correlationId, causationId } = by;
    return { ...this.calls.once(by.workspaceId, by.actor, by.operation), correlationId, causationId };
  }

  private wasCharged({ id, by }: CreditUse): Promise<boolean> {
    const stream = streamOf(creditsOfWorkspace.category, by.workspaceId, by.workspaceId);
    return this.loader.holds(stream, (event) => {
      const { type, data } = event as unknown as CreditsEvent;
      return type === 'CreditCharged' && data.reservation === id;
    });
  }
}
