import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import { ConditionChecks } from '../judging/condition-checks.api.js';
import {
  type ChannelInput,
  deleteChannelRules,
  setChannelRules,
  setEmailRules,
  setGuestAccess,
  setProxyRules,
} from './site-rules.js';
import {
  type EmailRules,
  type ProxyRules,
  type SiteRules,
  type SiteRulesEvent,
  siteRules,
} from './site-rules.record.js';

type Rules = Readonly<Record<string, Condition | undefined>>;

@Injectable()
export class SiteRulesChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly checks: ConditionChecks,
  ) {}

  async setEmail(call: OperationContext, projectId: string, accessRules: EmailRules) {
    const checked = await this.checked(call, projectId, { place: 'email', of: 'email' }, { ...accessRules });
    return this.change(call, projectId, (before) => setEmailRules(before, projectId, checked));
  }

  async setProxy(call: OperationContext, projectId: string, accessRules: ProxyRules | undefined) {
    const place = { place: 'proxy', of: 'the server proxy' } as const;
    const checked = accessRules === undefined ? null : await this.checked(call, projectId, place, { ...accessRules });
    return this.change(call, projectId, (before) => setProxyRules(before, projectId, checked));
  }

  async setChannel(call: OperationContext, sent: ChannelInput) {
    const { projectId, pattern } = sent;
    const place = { place: 'channel', of: `the channels ${pattern}` } as const;
    const accessRules = await this.checked(call, projectId, place, { ...sent.accessRules });
    return this.change(call, projectId, (before) => setChannelRules(before, { ...sent, accessRules }));
  }

  deleteChannel(call: OperationContext, projectId: string, pattern: string) {
    return this.change(call, projectId, (before) => deleteChannelRules(before, pattern));
  }

  setGuests(call: OperationContext, projectId: string, enabled: boolean) {
    return this.change(call, projectId, (before) => setGuestAccess(before, projectId, enabled));
  }

  private async checked(
    { workspaceId }: OperationContext,
    projectId: string,
    { place, of }: { readonly place: Facts['place']; readonly of: string },
    sent: Rules,
  ): Promise<Readonly<Record<string, Condition>>> {
    const checked: Record<string, Condition> = {};
    for (const [operation, condition] of Object.entries(sent)) {
      if (condition === undefined) continue;
      const path = `accessRules.${operation}`;
      checked[operation] = await this.checks.checked({ workspaceId, projectId, place, of, path }, condition);
    }
    return checked;
  }

  private async change(
    call: OperationContext,
    projectId: string,
    decide: (before: SiteRules | undefined) => readonly SiteRulesEvent[],
  ) {
    await this.runner.change<SiteRules | undefined, SiteRulesEvent>(call, {
      aggregate: siteRules,
      id: projectId,
      begins: 'perhaps',
      decide,
    });
    return { success: true } as const;
  }
}
