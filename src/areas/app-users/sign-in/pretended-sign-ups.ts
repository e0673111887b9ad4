import { Injectable } from '@nestjs/common';
import { normalPassword } from '../../../kernel/text/password.js';
import { Clock } from '../../../ports/clock.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { Project } from '../../sites/project/project.record.js';
import { comparedEmail } from './compared-email.js';

/** A sign-up with the email of an existing user, which was answered as if it had succeeded. */
export interface PretendedSignUp {
  readonly email: string;
  readonly password: string;
}

/**
 * Retention of a pretended sign-up. It exceeds the validity of a real sign-up's verification link, which is one day.
 */
const retainedMs = 30 * 24 * 3_600_000;

/**
 * Remembers pretended sign-ups, so that a later log-in gets the same answer as after a real sign-up. Only a keyed
 * digest of email and password is stored, which reveals neither without the master key.
 */
@Injectable()
export class PretendedSignUps {
  constructor(
    private readonly vault: Vault,
    private readonly clock: Clock,
  ) {}

  async store(project: Project, one: PretendedSignUp): Promise<void> {
    const expiresAt = this.clock.now() + retainedMs;
    await this.vault.seal(this.nameOf(project, one), Buffer.from('1'), { expiresAt });
  }

  async has(project: Project, one: PretendedSignUp): Promise<boolean> {
    return (await this.vault.open(this.nameOf(project, one))) !== undefined;
  }

  private nameOf({ workspaceId, id }: Project, { email, password }: PretendedSignUp): string {
    const what = JSON.stringify([id, comparedEmail(email), normalPassword(password)]);
    return `pretended-sign-up/${workspaceId}/${this.vault.derive(`pretended-sign-up/${what}`)}`;
  }
}
