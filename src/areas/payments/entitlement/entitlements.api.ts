import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import type { EntitlementFacts } from '../../../kernel/judging/facts.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../payments.refusals.js';
import {
  type EntitlementStatus,
  type Extension,
  entitlementStatus,
  extendEntitlement,
  type Grant,
  grantEntitlement,
  revokeEntitlement,
  suspendEntitlement,
} from './entitlement.js';
import {
  type Entitlement,
  type EntitlementChange,
  type EntitlementEvent,
  type EntitlementOf,
  entitlementId,
  entitlements,
} from './entitlement.record.js';
import { followPurchases, type Purchase } from './purchases.api.js';

export interface ShownEntitlement extends Pick<Entitlement, 'key' | 'expiresAt' | 'graceUntil' | 'source'> {
  readonly status: EntitlementStatus;
  readonly history: readonly EntitlementChange[];
}

const mostOfOneUser = 500;

const factsIn = ({ key, state, expiresAt, graceUntil }: Entitlement): EntitlementFacts => ({
  key,
  state,
  expiresAt,
  graceUntil,
});

/**
 * Callers must check that the user exists. `grant`, `extend`, `suspend` and `revoke` resolve to the changed
 * entitlement.
 */
@Injectable()
export class Entitlements {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  /** Includes every acknowledged change, from all processes. */
  async factsOf(workspaceId: string, appUserId: string): Promise<readonly EntitlementFacts[]> {
    return (await this.of(workspaceId, appUserId)).map(factsIn);
  }

  /** Users without entitlements are omitted. */
  async factsOfAll(
    workspaceId: string,
    appUserIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly EntitlementFacts[]>> {
    const found = await this.reads.find<Entitlement>(workspaceId, entitlements.collection.name, {
      where: { appUserId: { in: appUserIds } },
    });
    const byUser = Map.groupBy(found, ({ appUserId }) => appUserId);
    return new Map([...byUser].map(([id, ofUser]) => [id, ofUser.map(factsIn)]));
  }

  async list(workspaceId: string, appUserId: string): Promise<readonly ShownEntitlement[]> {
    return (await this.of(workspaceId, appUserId)).map((one) => this.shown(one));
  }

  /** @throws Refusal entitlements-full, or if the terms are invalid */
  async grant(call: OperationContext, of: EntitlementOf, terms: Grant): Promise<ShownEntitlement> {
    await this.mustHaveRoom(call.workspaceId, of);
    return this.change(call, of, (before) => grantEntitlement(before, of, terms), 'perhaps');
  }

  /** @throws Refusal if the user has no such entitlement, or it is revoked */
  extend(call: OperationContext, of: EntitlementOf, extension: Extension): Promise<ShownEntitlement> {
    return this.change(call, of, (before) => extendEntitlement(before, extension));
  }

  /** @throws Refusal if the user has no such entitlement, or it is revoked */
  suspend(
    call: OperationContext,
    of: EntitlementOf,
    grace: { readonly graceUntil?: string },
  ): Promise<ShownEntitlement> {
    return this.change(call, of, (before) => suspendEntitlement(before, grace, Date.parse(call.at)));
  }

  /** @throws Refusal if the user has no such entitlement, or it is revoked */
  revoke(call: OperationContext, of: EntitlementOf): Promise<ShownEntitlement> {
    return this.change(call, of, (before) => revokeEntitlement(before));
  }

  /**
   * Changes the entitlement to match the user's purchases. Resolves to whether the user's access ended. Idempotent.
   * @throws Refusal if the user cannot have another entitlement
   */
  async follow(
    call: OperationContext,
    of: EntitlementOf,
    purchases: readonly Purchase[],
  ): Promise<{ readonly ended: boolean }> {
    await this.mustHaveRoom(call.workspaceId, of);
    let hadAccess = false;
    const after = await this.changed(call, of, 'perhaps', (before) => {
      hadAccess = this.isHeld(before);
      return followPurchases(before, of, purchases);
    });
    return { ended: hadAccess && !this.isHeld(after) };
  }

  async isHeldForLife(workspaceId: string, of: EntitlementOf): Promise<boolean> {
    const found = await this.runner.find(entitlements, workspaceId, entitlementId(of));
    return found?.state === 'granted' && found.expiresAt === null;
  }

  /** @throws Refusal entitlements-full if the user does not have this entitlement and cannot have another one */
  async mustHaveRoom(workspaceId: string, of: EntitlementOf): Promise<void> {
    const known = await this.reads.get(workspaceId, 'entitlements', entitlementId(of));
    if (known !== undefined) return;
    const count = await this.reads.count(workspaceId, 'entitlements', { appUserId: of.appUserId });
    if (count >= mostOfOneUser) refuse('entitlements-full', { limit: mostOfOneUser });
  }

  private async change(
    call: OperationContext,
    of: EntitlementOf,
    decide: (before: Entitlement | undefined) => readonly EntitlementEvent[],
    begins: 'perhaps' | false = false,
  ): Promise<ShownEntitlement> {
    return this.shown((await this.changed(call, of, begins, decide)) ?? entitlements.missing());
  }

  private changed(
    call: OperationContext,
    of: EntitlementOf,
    begins: 'perhaps' | false,
    decide: (before: Entitlement | undefined) => readonly EntitlementEvent[],
  ): Promise<Entitlement | undefined> {
    return this.runner.change(call, {
      aggregate: entitlements,
      id: entitlementId(of),
      begins,
      decide: (before) => decide(before?.projectId === of.projectId ? before : undefined),
    });
  }

  private isHeld(one: Entitlement | undefined): boolean {
    return one !== undefined && isHeld(one, this.clock.now()) === true;
  }

  private of(workspaceId: string, appUserId: string): Promise<readonly Entitlement[]> {
    return this.reads.find<Entitlement>(workspaceId, 'entitlements', { where: { appUserId }, sort: [['key', 'asc']] });
  }

  private shown(one: Entitlement): ShownEntitlement {
    const { key, expiresAt, graceUntil, source, history } = one;
    return { key, expiresAt, graceUntil, source, status: entitlementStatus(one, this.clock.now()), history };
  }
}
