import { Injectable } from '@nestjs/common';
import { RuleDecisions } from '../../../engine/explain/rule-decisions.js';
import type { Policies } from '../../../kernel/condition/condition.js';
import { Clock } from '../../../ports/clock.port.js';
import { AccessJudge } from '../../access/judging/access-judge.api.js';
import { SitePolicies } from '../../access/policy/site-policies.api.js';
import {
  type ChannelSubscriber,
  type ChannelsKnown,
  channelDecision,
  publishDecision,
} from '../../access/site-rules/channel-access.api.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';

export type ChannelRight = 'subscribe' | 'publish';

export interface RulesKnown {
  readonly channels: ChannelsKnown;
  readonly policies: Policies;
}

export interface ChannelDenied {
  readonly code: 'channel-denied' | 'publish-denied';
  /** Identifies the decision, so that a member can later ask why it was made. Undefined if no rule was evaluated. */
  readonly decisionId?: string;
}

@Injectable()
export class ChannelRights {
  constructor(
    private readonly rules: SavedSiteRules,
    private readonly policies: SitePolicies,
    private readonly judge: AccessJudge,
    private readonly decisions: RuleDecisions,
    private readonly clock: Clock,
  ) {}

  async known(workspaceId: string, projectId: string): Promise<RulesKnown> {
    const [channels, policies] = await Promise.all([
      this.rules.of(workspaceId, projectId),
      this.policies.of(workspaceId, projectId),
    ]);
    return { channels, policies };
  }

  /**
   * Returns undefined if access is allowed. A workspace member has the owner's access, which rules do not restrict
   * (Q-S61).
   */
  async denied(
    { channels, policies }: RulesKnown,
    who: SiteVisitor,
    channel: string,
    right: ChannelRight,
  ): Promise<ChannelDenied | undefined> {
    if (who.visitor.member !== undefined) return undefined;
    const code = right === 'subscribe' ? 'channel-denied' : 'publish-denied';
    const decision = (right === 'subscribe' ? channelDecision : publishDecision)(channels, channel, subscriberOf(who));
    if (decision.is !== 'ruled') return decision.is === 'open' ? undefined : { code };
    const { workspaceId, projectId } = who;
    const { pattern, accessRules } = decision.rule;
    const condition = accessRules[right] ?? null;
    const facts = { ...who.visitor, now: this.clock.now(), place: 'channel' } as const;
    const resource = { type: 'channel', id: pattern, name: channel } as const;
    const verdict = await this.judge.judge({ workspaceId, projectId, condition, facts, policies, resource });
    if (verdict.isAllowed) return undefined;
    const userId = who.user?.id ?? null;
    const place = { kind: 'channel', id: pattern, operation: right } as const;
    const about = { workspaceId, projectId, place: 'channel', condition, policies, userId, verdict, code } as const;
    return { code, decisionId: this.decisions.idOf({ ...about, resource: place }) };
  }
}

function subscriberOf({ user, guestId }: SiteVisitor): ChannelSubscriber {
  if (user !== undefined) return { kind: 'user', id: user.id };
  return guestId === undefined ? { kind: 'nobody' } : { kind: 'guest', id: guestId };
}
