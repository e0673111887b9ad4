import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Ids } from '../../../ports/ids.port.js';
import type { Project } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { customValues, mergedValues, mustHaveRequired } from '../app-user/custom-values.api.js';
import { SiteUsers } from '../app-user/site-users.api.js';
import { refuse } from '../app-users.refusals.js';
import type { IssuedPass } from '../site-pass/site-passes.api.js';
import { PretendedSignUps } from './pretended-sign-ups.js';
import { SignInMail } from './sign-in-mail.api.js';
import { SignInTries } from './sign-in-tries.js';
import { SignIns } from './sign-ins.api.js';
import { SignUpQuota } from './sign-up-quota.js';
import { type VisitorUser, VisitorUsers } from './visitor-user.api.js';

export interface NewVisitor {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
  readonly customFields?: JsonObject;
  readonly address: string;
}

export interface SignUpResult {
  readonly user: VisitorUser;
  readonly verificationRequired: boolean;
  /** Omitted if the user must verify the email first. */
  readonly session?: IssuedPass;
}

@Injectable()
export class SignUp {
  constructor(
    private readonly users: SiteUsers,
    private readonly signIns: SignIns,
    private readonly tries: SignInTries,
    private readonly mail: SignInMail,
    private readonly shown: VisitorUsers,
    private readonly quota: RecordingQuota,
    private readonly signUps: SignUpQuota,
    private readonly pretendedOnes: PretendedSignUps,
    private readonly ids: Ids,
  ) {}

  /**
   * If the site requires verified emails and the email belongs to another user, the caller gets the same answer after
   * the same work, and that user is notified by mail.
   * @throws Refusal sign-in-off, sign-up-off, invalid-input, sign-up-limit, email-taken, passwords-busy, visitors-quota
   */
  async signUp(call: OperationContext, project: Project, visitor: NewVisitor): Promise<SignUpResult> {
    if (!project.authEnabled) refuse('sign-in-off');
    if (!project.authAllowSignup) refuse('sign-up-off');
    await this.quota.mustHaveRoom(call);
    const { authRequireEmail: verificationRequired } = project;
    const made = await this.made(call, project, visitor);
    const user = await this.shown.shown(made);
    if (verificationRequired) return { user, verificationRequired };
    const session = await this.signIns.begin(call, made);
    const { workspaceId, id: projectId } = project;
    await this.tries.trust({ workspaceId, projectId, email: made.email, address: visitor.address });
    return { user, verificationRequired, session };
  }

  private async made(call: OperationContext, project: Project, visitor: NewVisitor): Promise<AppUser> {
    const email = userEmail(visitor.email) ?? '';
    const values = customValues(project.authCustomFields, visitor.customFields ?? {});
    mustHaveRequired(project.authCustomFields, values);
    const facts = {
      projectId: project.id,
      email,
      name: visitor.name ?? email.slice(0, email.lastIndexOf('@')),
      customFields: mergedValues({}, values),
      emailVerifiedAt: null,
      role: null,
      roleIds: [],
    };
    await this.signUps.enforce(project, email, visitor.address);
    try {
      return await this.users.create(call, { ...facts, origin: 'signUp', password: visitor.password });
    } catch (error) {
      const isTaken = error instanceof Refusal && error.code === 'email-taken';
      if (!isTaken || !project.authRequireEmail) throw error;
      await this.pretendedOnes.store(project, { email, password: visitor.password });
      await this.mail.taken(project, email);
      return this.pretended(call, facts);
    }
  }

  private pretended({ workspaceId, at }: OperationContext, facts: Omit<AppUser, keyof Pretended>): AppUser {
    const pretended: Pretended = {
      id: this.ids.newId('usr'),
      workspaceId,
      passwordId: null,
      isBanned: false,
      passGeneration: 0,
      hasRoleToMigrate: false,
      migratedRoleId: null,
      createdAt: at,
      updatedAt: at,
    };
    return { ...facts, ...pretended };
  }
}

type Pretended = Pick<
  AppUser,
  | 'id'
  | 'workspaceId'
  | 'passwordId'
  | 'isBanned'
  | 'passGeneration'
  | 'hasRoleToMigrate'
  | 'migratedRoleId'
  | 'createdAt'
  | 'updatedAt'
>;
