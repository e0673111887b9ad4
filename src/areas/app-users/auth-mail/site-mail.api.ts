import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { MailRoutes } from './mail-routes.js';
import { acceptSiteMail, keptMs } from './site-mail.js';
import { type SiteMailKind, siteMails } from './site-mail.record.js';
import { SiteMailContents } from './site-mail-content.js';

export interface RequestedSiteMail {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly kind: SiteMailKind;
  /** One address. It may be sealed, as names may. */
  readonly to: string;
  /** Empty or null: they gave none. */
  readonly userName?: string | null;
  /** Whole, with its token. */
  readonly link?: string;
  /** How long the link works from now, in milliseconds. Left out: it does not end. */
  readonly expiresIn?: number;
  /** The user whom it concerns: their deletion destroys it, wherever it is. */
  readonly userId?: string;
  /** A receipt's lines, such as `Pro plan: 12.00 EUR`. */
  readonly lines?: readonly string[];
}

/** `needsMailbox`: nothing was recorded, because no mailbox can send it (settled question Q-S26). */
export type AcceptedSiteMail = 'accepted' | 'needsMailbox';

/** Mail of a site's sign-in, and receipts. */
@Injectable()
export class SiteMail {
  constructor(
    private readonly runner: CommandRunner,
    private readonly contents: SiteMailContents,
    private readonly ways: MailRoutes,
    private readonly personal: PersonalData,
    private readonly calls: Calls,
  ) {}

  /**
   * Durable when it resolves; it is sent afterwards, at least once, and kept for a day where nobody can send it. The
   * words stand in the vault alone. A repeated call with a repeatable `call` has no further effect. What is wrong with
   * the address is found when it is sent.
   * @throws EventStoreUnavailable, VaultUnavailable
   */
  async send(wanted: RequestedSiteMail, cause?: OperationContext): Promise<AcceptedSiteMail> {
    const { workspaceId, projectId, kind, to, userName = null, link = null, expiresIn, userId = null } = wanted;
    if (kind === 'welcome' && (await this.ways.of(workspaceId, projectId, kind)) === undefined) return 'needsMailbox';
    const call = cause ?? this.calls.once(workspaceId, systemActor('site-mail'), 'site-mail');
    const id = call.newId('sm');
    const now = Date.parse(call.at);
    const whole = { to, userName, link, expiresIn: expiresIn ?? null, lines: wanted.lines ?? [] };
    const content = await this.personal.opened(workspaceId, whole);
    await this.contents.seal(workspaceId, id, content, now + keptMs);
    await this.runner.change(call, {
      aggregate: siteMails,
      id,
      begins: true,
      decide: () => acceptSiteMail({ projectId, kind, userId, now, expiresIn }),
    });
    return 'accepted';
  }
}
