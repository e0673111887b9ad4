import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { Decision } from '../../kernel/judging/decision.js';
import { type Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import { currentTrial } from '../dry-run/trial.js';
import { RateLimit } from '../quotas/rate-limit.js';
import { bytesOf, decisionOf } from './decision-bytes.js';
import { SealedDecisions } from './sealed-decisions.js';

const dayMs = 24 * 3_600_000;

/** How long an id is answered, in milliseconds. */
export const decisionsKeptMs = 30 * dayMs;

/** How many decisions of a workspace and of a kind of caller a process stores: at most 6,200 at a time. */
export const storedDecisions = { burst: 200, fillMs: dayMs };

/** Of one stored decision. */
const mostBytes = 2_000;

const storedId = /^dec_[0-9a-z]{26}$/;

/** The `decisionId` of a refusal by a right or an access rule. */
export function decisionIdIn({ facts }: Refusal): string | undefined {
  const { decisionId } = facts;
  return typeof decisionId === 'string' ? decisionId : undefined;
}

/**
 * The ids of decisions. A decision is stored in the vault, where it expires, and its id is random and short. Strangers can
 * be refused without end: beyond the bound, the id holds the decision itself.
 */
@Injectable()
export class DecisionIds implements BeforeApplicationShutdown {
  private readonly log = new Logger('Decisions');
  private readonly sealed: SealedDecisions;
  private readonly limit: RateLimit;
  /** Writes of this process that go on, by the names of their entries. */
  private readonly going = new Map<string, Promise<void>>();

  constructor(
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    this.sealed = new SealedDecisions(vault);
    this.limit = new RateLimit(storedDecisions, clock);
  }

  /** The refusal does not wait for the write: one that fails or is cut short makes an id of nothing. */
  idOf(workspaceId: string, decision: Decision): string {
    // A trial stores nothing.
    if (currentTrial() !== undefined || !this.hasRoom(workspaceId, decision)) {
      return this.sealed.seal(workspaceId, decision);
    }
    const id = this.ids.newId('dec');
    this.store(nameOf(workspaceId, id), bytesOf(decision, mostBytes));
    return id;
  }

  /** Undefined for anything that was not made here for this workspace, or has expired. @throws VaultUnavailable */
  async open(workspaceId: string, id: string): Promise<Decision | undefined> {
    if (!storedId.test(id)) return this.sealed.open(workspaceId, id);
    const name = nameOf(workspaceId, id);
    await this.going.get(name);
    const stored = await this.vault.open(name);
    return stored && decisionOf(Buffer.from(stored));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.going.values());
  }

  /**
   * Visitors of sites do not use up what is there for members. Rules and powers share a bound, because a visitor must not
   * tell by the length of an id which of them refused.
   */
  private hasRoom(workspaceId: string, { kind }: Decision): boolean {
    return this.limit.consume(`${workspaceId} ${kind === 'right' ? 'members' : 'visitors'}`) === 0;
  }

  private store(name: string, bytes: Uint8Array): void {
    const writing = this.vault.seal(name, bytes, { expiresAt: this.clock.now() + decisionsKeptMs });
    const going = writing.then(
      () => undefined,
      (error: unknown) => this.log.warn(`A decision was not stored: ${faultReason(error)}`),
    );
    this.going.set(
      name,
      going.finally(() => this.going.delete(name)),
    );
  }
}

const nameOf = (workspaceId: string, id: string) => `decision/${workspaceId}/${id}`;
