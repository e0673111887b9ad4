import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { Decision } from '../../kernel/judging/decision.js';
import { type Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import { currentDryRun } from '../dry-run/dry-run.js';
import { RateLimit } from '../quotas/rate-limit.js';
import { decisionBytes, decisionOf } from './decision-bytes.js';
import { SealedDecisions } from './sealed-decisions.js';

const dayMs = 24 * 3_600_000;

export const decisionRetentionMs = 30 * dayMs;

/** Rate limit for storing decisions, per process, workspace and kind of caller. */
export const storedDecisions = { burst: 200, fillMs: dayMs };

const mostBytes = 2_000;

const storedId = /^dec_[0-9a-z]{26}$/;

export function decisionIdIn({ facts }: Refusal): string | undefined {
  const { decisionId } = facts;
  return typeof decisionId === 'string' ? decisionId : undefined;
}

/**
 * Anonymous callers can cause any number of refusals, so storing decisions is limited. Beyond the limit nothing is
 * stored: the id itself contains the sealed decision.
 */
@Injectable()
export class DecisionIds implements BeforeApplicationShutdown {
  private readonly log = new Logger('Decisions');
  private readonly sealed: SealedDecisions;
  private readonly limit: RateLimit;
  private readonly writing = new Map<string, Promise<void>>();

  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    this.sealed = new SealedDecisions(vault);
    this.limit = new RateLimit(storedDecisions, clock);
  }

  /** Does not wait for the vault write. If that write fails, the decision cannot be found later. */
  idOf(workspaceId: string, decision: Decision): string {
    if (currentDryRun() !== undefined || !this.hasRoom(workspaceId, decision)) {
      return this.sealed.seal(workspaceId, decision);
    }
    const id = this.ids.newId('dec');
    this.store(nameOf(workspaceId, id), decisionBytes(decision, mostBytes));
    return id;
  }

  /**
   * Returns undefined if the id belongs to another installation or workspace, or if the stored decision has expired or
   * was never stored.
   * @throws VaultUnavailable
   */
  async open(workspaceId: string, id: string): Promise<Decision | undefined> {
    if (!storedId.test(id)) return this.sealed.open(workspaceId, id);
    const name = nameOf(workspaceId, id);
    await this.writing.get(name);
    const stored = await this.vault.open(name);
    return stored && decisionOf(Buffer.from(stored));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.writing.values());
  }

  /**
   * Members and site visitors have separate limits, so that visitors cannot use up the limit of the members. A visitor
   * can tell from the length of an id whether the limit is reached. Refusals of visitors by access rules and by
   * functions therefore share one limit, so that the length does not reveal which of the two refused.
   */
  private hasRoom(workspaceId: string, { kind }: Decision): boolean {
    return this.limit.consume(`${workspaceId} ${kind === 'right' ? 'members' : 'visitors'}`) === 0;
  }

  private store(name: string, bytes: Uint8Array): void {
    const writing = this.vault.seal(name, bytes, { expiresAt: this.clock.now() + decisionRetentionMs });
    const settled = writing.then(
      () => undefined,
      (error: unknown) =>
        this.log.warn(`A decision could not be stored, so it cannot be explained later: ${faultReason(error)}`),
    );
    this.writing.set(
      name,
      settled.finally(() => this.writing.delete(name)),
    );
  }
}

const nameOf = (workspaceId: string, id: string) => `decision/${workspaceId}/${id}`;
