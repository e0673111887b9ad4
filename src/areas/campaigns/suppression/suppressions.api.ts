import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { keyedText, PersonalData } from '../../../engine/personal-data/personal-data.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { appUsers } from '../../app-users/app-user/app-user.record.js';
import { SiteUsers } from '../../app-users/app-user/site-users.api.js';
import { refuse } from '../campaigns.refusals.js';
import { addSuppression, removeSuppression } from './suppression.js';
import { type Suppression, type SuppressionFacts, suppressions } from './suppression.record.js';

type Cause = Pick<SuppressionFacts, 'reason' | 'campaignId'>;

const kind = 'suppression';

/** Addresses that campaigns of a site skip. All other mail reaches them as before. */
@Injectable()
export class Suppressions {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly users: SiteUsers,
  ) {}

  /** The id of an address at this site. The address cannot be derived from it without this installation's key. */
  idOf(workspaceId: string, projectId: string, email: string): string {
    return this.idOfToken(this.personal.keyed(workspaceId, kind, `${projectId}/${email}`));
  }

  /** Threads derive the token of an address from this text and the address after it. */
  tokenText(workspaceId: string, projectId: string): string {
    return keyedText(workspaceId, kind, `${projectId}/`);
  }

  idOfToken(token: string): string {
    return derivedId('sup', token);
  }

  /** Those of these ids that are suppressed now. */
  async among(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const found = await this.reads.find<Suppression>(workspaceId, suppressions.collection.name, {
      where: { id: { in: ids } },
    });
    return new Set(found.map(({ id }) => id));
  }

  /** One that is suppressed already stays as it is. `userId`: who had the address when a mail went there. */
  async add(call: OperationContext, projectId: string, id: string, userId: string | null, cause: Cause): Promise<void> {
    const email = userId === null ? null : await this.sealedEmail(call.workspaceId, projectId, id, userId);
    await this.runner.change(call, {
      aggregate: suppressions,
      id,
      begins: 'perhaps',
      decide: (before) => addSuppression(before, { projectId, userId, email, ...cause }),
    });
  }

  /** @throws Refusal suppression-email-invalid */
  async addAddress(call: OperationContext, projectId: string, sent: string, cause: Cause): Promise<void> {
    const email = userEmail(sent) ?? refuse('suppression-email-invalid');
    const user = await this.users.byEmail(call.workspaceId, projectId, email);
    await this.add(call, projectId, this.idOf(call.workspaceId, projectId, email), user?.id ?? null, cause);
  }

  /** @throws Refusal suppression-email-invalid, suppression-not-found */
  async remove(call: OperationContext, projectId: string, sent: string): Promise<void> {
    const email = userEmail(sent) ?? refuse('suppression-email-invalid');
    await this.runner.change(call, {
      aggregate: suppressions,
      id: this.idOf(call.workspaceId, projectId, email),
      decide: (before) => removeSuppression(before ?? suppressions.missing()),
    });
  }

  /** The newest first. `before`: the id of the last one of the page before. */
  async list(workspaceId: string, projectId: string, before: string | undefined, limit: number) {
    const last =
      before === undefined ? undefined : await this.reads.get<Suppression>(workspaceId, 'suppressions', before);
    const found = await this.reads.find<Suppression>(workspaceId, suppressions.collection.name, {
      where: { projectId },
      sort: [['createdAt', 'desc']],
      limit,
      ...(last && { after: [last.createdAt, last.id] }),
    });
    const shown = await this.personal.opened(workspaceId, found);
    // An erased address is replaced by a word that is no address.
    return shown.map(({ id, email, reason, campaignId, createdAt }) => ({
      id,
      email: email === null ? null : (userEmail(email) ?? null),
      reason,
      campaignId,
      createdAt,
    }));
  }

  /** Null where the user is gone, or has another address by now. */
  private async sealedEmail(workspaceId: string, projectId: string, id: string, userId: string) {
    const user = await this.runner.find(appUsers, workspaceId, userId);
    if (user === undefined) return null;
    const { email } = await this.personal.opened(workspaceId, { email: user.email });
    return this.idOf(workspaceId, projectId, email) === id ? user.email : null;
  }
}
