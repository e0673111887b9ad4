import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { inProject } from '../../../engine/commands/reservation.js';
import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import { UniqueNameLookup } from '../../../engine/commands/unique-name-lookup.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { PersonalData } from '../../../engine/personal-data/personal-data.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { PersonFacts } from '../../../kernel/judging/facts.js';
import { personFacts } from '../../../kernel/judging/person-facts.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import { refuse } from '../app-users.refusals.js';
import { deleteAppUser, type SentChanges, setAppUserPassword, updateAppUser, verifyAppUser } from './app-user.js';
import {
  type AppUser,
  type AppUserEvent,
  type AppUserFacts,
  type AppUserOrigin,
  appUserEmail,
  appUsers,
} from './app-user.record.js';
import { customValues } from './custom-values.api.js';
import { PersonSources } from './person-sources.api.js';
import { UserPasswords } from './user-passwords.api.js';

export interface NewUser extends Omit<AppUserFacts, 'passwordId'> {
  readonly origin: AppUserOrigin;
  /** Must meet the rules of `wrongPassword`. If omitted, the user has no password. */
  readonly password?: string;
}

/** Except for methods whose names end in `Sealed`, results contain decrypted personal data and must not be recorded. */
@Injectable()
export class SiteUsers {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly holders: UniqueNameLookup,
    private readonly personal: PersonalData,
    private readonly passwords: UserPasswords,
    private readonly secrets: RecordedSecrets,
    private readonly sources: PersonSources,
  ) {}

  /** Reads the latest recorded state, which the read model might not contain yet. */
  async find(workspaceId: string, userId: string): Promise<AppUser | undefined> {
    const found = await this.runner.find(appUsers, workspaceId, userId);
    return found && this.personal.opened(workspaceId, found);
  }

  /** @throws Refusal app-user-not-found, also if the user belongs to another project */
  async require(workspaceId: string, projectId: string, userId: string): Promise<AppUser> {
    const found = await this.find(workspaceId, userId);
    return found?.projectId === projectId ? found : appUsers.missing();
  }

  async byEmail(workspaceId: string, projectId: string, email: string): Promise<AppUser | undefined> {
    const normal = userEmail(email);
    if (normal === undefined) return undefined;
    const holder = await this.holders.holderOf(workspaceId, appUserEmail(inProject(projectId, normal), ''));
    return holder as AppUser | undefined;
  }

  /** The user's personal data must be decrypted. */
  async personOf(user: AppUser): Promise<PersonFacts> {
    const { workspaceId, projectId, id } = user;
    const [roleIds, entitlements, project] = await Promise.all([
      this.sources.existingRoles(workspaceId, projectId, user.roleIds),
      this.sources.entitlementsOf(workspaceId, id),
      this.reads.get<Project>(workspaceId, 'projects', projectId),
    ]);
    return personFacts(user, project?.authCustomFields ?? [], roleIds, entitlements);
  }

  /** @throws Refusal email-taken, passwords-busy */
  async create(call: OperationContext, user: NewUser): Promise<AppUser> {
    return this.opened(call, await this.createSealed(call, user));
  }

  /**
   * Returns personal data encrypted, as operations must: their responses are stored for repeated calls, and decrypted
   * only after that.
   */
  async createSealed(call: OperationContext, { password, ...user }: NewUser): Promise<AppUser> {
    if (password === undefined) return this.record(call, { ...user, passwordId: null });
    const line = { siteId: user.projectId, kind: user.origin === 'signUp' ? 'sign-up' : 'member' } as const;
    return this.passwords.setting(call, line, password, (passwordId) => this.record(call, { ...user, passwordId }));
  }

  /**
   * Records the events that `decide` returns. If an event changes the email, the new email is reserved. Resolves to
   * undefined if the events delete the user.
   * @throws Refusal app-user-not-found, email-taken
   */
  async change(
    call: OperationContext,
    userId: string,
    decide: (user: AppUser) => readonly AppUserEvent[],
  ): Promise<AppUser | undefined> {
    const after = await this.changeSealed(call, userId, decide);
    return after && this.opened(call, after);
  }

  /**
   * Custom fields that are not sent remain unchanged.
   * @throws Refusal app-user-not-found, email-taken, invalid-input
   */
  async update(call: OperationContext, projectId: string, userId: string, sent: SentChanges): Promise<AppUser> {
    return this.opened(call, await this.updateSealed(call, projectId, userId, sent));
  }

  /**
   * Same as `update`, but returns personal data encrypted.
   * @param path path of the custom fields in the input
   */
  async updateSealed(
    call: OperationContext,
    projectId: string,
    userId: string,
    sent: SentChanges,
    path = 'customFields',
  ): Promise<AppUser> {
    const project = await this.reads.one(call, projects, projectId);
    const customFields = sent.customFields && customValues(project.authCustomFields, sent.customFields, path);
    const after = await this.changeSealed(call, userId, (user) =>
      updateAppUser(ofProject(user, projectId), { ...sent, customFields }, call.at, path),
    );
    return after ?? appUsers.missing();
  }

  /**
   * Ends all sessions of the user unless `retainsPasses` is set. Returns the user's current `passGeneration`.
   * @throws Refusal passwords-busy
   */
  async setPassword(
    call: OperationContext,
    projectId: string,
    userId: string,
    password: string,
    { retainsPasses = false }: { readonly retainsPasses?: boolean } = {},
  ): Promise<number> {
    let recorded: readonly AppUserEvent[] = [];
    const line = { siteId: projectId, kind: call.caller === undefined ? 'sign-in' : 'member' } as const;
    const after = await this.passwords.setting(call, line, password, (passwordId) =>
      this.changeSealed(call, userId, (user) => {
        recorded = setAppUserPassword(ofProject(user, projectId), passwordId, retainsPasses);
        return recorded;
      }),
    );
    for (const event of recorded) await this.secrets.follow(appUsers, call.workspaceId, event);
    return (after ?? appUsers.missing()).passGeneration;
  }

  /** @throws Refusal app-user-not-found */
  async verify(call: OperationContext, userId: string): Promise<void> {
    await this.change(call, userId, (user) => verifyAppUser(user, call.at));
  }

  /**
   * All sessions end at once. A saga erases the personal data.
   * @throws Refusal app-user-not-found
   */
  async delete(call: OperationContext, userId: string, projectId?: string): Promise<void> {
    await this.change(call, userId, (user) => deleteAppUser(ofProject(user, projectId)));
  }

  private async record(
    call: OperationContext,
    { roleIds, ...user }: AppUserFacts & { readonly origin: AppUserOrigin },
  ): Promise<AppUser> {
    const id = call.newId('usr');
    const after = await this.runner.change(call, {
      aggregate: appUsers,
      id,
      begins: true,
      decide: () => [
        { type: 'AppUserCreated' as const, data: { ...user, roleIds: [] } },
        // Roles are recorded as separate events, so projections need to handle only `AppUserRoleAssigned`.
        ...roleIds.map(
          (roleId) => ({ type: 'AppUserRoleAssigned', data: { projectId: user.projectId, roleId } }) as const,
        ),
      ],
      reserves: () => [takes(call, user.projectId, id, user.email)],
    });
    return after ?? appUsers.missing();
  }

  private changeSealed(
    call: OperationContext,
    userId: string,
    decide: (user: AppUser) => readonly AppUserEvent[],
  ): Promise<AppUser | undefined> {
    let newEmail: string | undefined;
    return this.runner.change(call, {
      aggregate: appUsers,
      id: userId,
      decide: (user) => {
        const events = decide(user ?? appUsers.missing());
        newEmail = events.flatMap((one) => (one.type === 'AppUserEmailChanged' ? [one.data.email] : [])).at(-1);
        return events;
      },
      reserves: (user) => (newEmail && user ? [takes(call, user.projectId, userId, newEmail)] : []),
    });
  }

  private opened({ workspaceId }: OperationContext, user: AppUser): Promise<AppUser> {
    return this.personal.opened(workspaceId, user);
  }
}

function ofProject(user: AppUser, projectId: string | undefined): AppUser {
  return projectId === undefined || user.projectId === projectId ? user : appUsers.missing();
}

function takes({ workspaceId }: OperationContext, projectId: string, id: string, email: string): RequestedName {
  return {
    reservation: appUserEmail(inProject(projectId, email), streamOf(appUsers.category, workspaceId, id)),
    taken: () => refuse('email-taken', { email }),
  };
}
