import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { exclusiveSlot } from '../../../engine/commands/related-changes.js';
import { due } from '../../../engine/due/due.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Dns, DnsUnavailable } from '../../../ports/network/dns.port.js';
import { refuse } from '../sites.refusals.js';
import { type DomainLookUp, type Looking, loseCustomDomain, proveAgain, txtNameOf } from './custom-domain.js';
import { type CustomDomain, type CustomDomainEvent, customDomains, verifiedDomain } from './custom-domain.record.js';

@Injectable()
export class CustomDomainChanges {
  constructor(
    private readonly runner: CommandRunner,
    private readonly dns: Dns,
  ) {}

  /**
   * Looks up the domain's TXT records and records the result. If the domain becomes verified, any other project that
   * has it loses it.
   * @throws Refusal custom-domain-changed if the project's domain was changed during the lookup, and the refusals of
   * `decide`
   */
  async look(
    call: OperationContext,
    seen: CustomDomain,
    decide: (before: CustomDomain, look: DomainLookUp, looking: Looking) => readonly CustomDomainEvent[],
  ): Promise<CustomDomain | undefined> {
    const look = await this.lookAt(seen.domain);
    const looking = { now: Date.parse(call.at), noticeId: call.newId('no') };
    const othersNotice = { ...looking, noticeId: call.newId('no') };
    const stream = streamOf(customDomains.category, call.workspaceId, seen.id);
    return this.runner.change(call, {
      aggregate: customDomains,
      id: seen.id,
      decide: (before) => {
        if (before?.token !== seen.token) return refuse('custom-domain-changed');
        return decide(before, look, looking);
      },
      slots: (before, decided) =>
        before?.status !== 'verified' && decided.some(({ type }) => type === 'CustomDomainVerified')
          ? [
              exclusiveSlot(verifiedDomain(seen.domain, stream), (other: CustomDomain) =>
                loseCustomDomain(other, othersNotice),
              ),
            ]
          : [],
    });
  }

  private async lookAt(domain: string): Promise<DomainLookUp> {
    try {
      return { texts: await this.dns.texts(txtNameOf(domain)) };
    } catch (error) {
      if (error instanceof DnsUnavailable) return { unavailable: error.message };
      throw error;
    }
  }
}

/** If two processes check the same domain, only one result is recorded. */
export const domainWatch = due({
  name: 'custom-domain-watch',
  record: customDomains,
  field: 'nextCheckAt',
  everyMs: 60_000,
  atOnce: 20,
  through: CustomDomainChanges,
  change: (changes, call, seen) => changes.look(call, seen, proveAgain),
});
