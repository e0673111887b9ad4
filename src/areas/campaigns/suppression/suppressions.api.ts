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

/** Campaigns skip suppressed emails; all other mail is still sent to them. */
@Injectable()
export class Suppressions {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly personal: PersonalData,
    private readonly users: SiteUsers,
  ) {}

  /** Without the installation's key, the email cannot be found from the id. */
  idOf(workspaceId: string, projectId: string, email: string): string {
    return this.idOfToken(this.personal.keyed(workspaceId, kind, `${projectId}/${email}`));
  }

  /** Worker threads append an email to this text and hash the result, which is the token for `idOfToken`. */
  tokenText(workspaceId: string, projectId: string): string {
    return keyedText(workspaceId, kind, `${projectId}/`);
  }

  idOfToken(token: string): string {
    return derivedId('sup', token);
  }

  async among(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const found = await this.reads.find<Suppression>(workspaceId, suppressions.collection.name, {
      where: { id: { in: ids } },
    });
    return new Set(found.map(({ id }) => id));
  }

  /** @param userId the user who had the email when the mail was sent, or null */
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

  /**
   * Returns the newest suppressions first.
   * @param before id of the last suppression on the previous page
   */
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
    // If the user was erased, the decrypted value is a placeholder and not an email, so null is returned instead.
    return shown.map(({ id, email, reason, campaignId, createdAt }) => ({
      id,
      email: email === null ? null : (userEmail(email) ?? null),
      reason,
      campaignId,
      createdAt,
    }));
  }

  private async sealedEmail(workspaceId: string, projectId: string, id: string, userId: string) {
    const user = await this.runner.find(appUsers, workspaceId, userId);
    if (user === undefined) return null;
    const { email } = await this.personal.opened(workspaceId, { email: user.email });
    return this.idOf(workspaceId, projectId, email) === id ? user.email : null;
  }
}
