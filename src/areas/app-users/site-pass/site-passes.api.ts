import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { WhileUnchanged } from '../../../engine/read-models/while-unchanged.js';
import type { PersonFacts } from '../../../kernel/judging/facts.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { type Project, projects } from '../../sites/project/project.record.js';
import type { AppUser } from '../app-user/app-user.record.js';
import { SiteUsers } from '../app-user/site-users.api.js';

/** Without `user` and `guestId`, the caller is an anonymous visitor. */
export interface SiteVisitor {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly visitor: Visitor;
  /** Personal data is decrypted. */
  readonly user?: AppUser;
  readonly guestId?: string;
  /** When the session expires, in milliseconds since 1970. Undefined if there is no session. */
  readonly until?: number;
}

export interface IssuedPass {
  /** Only a keyed digest of the token is stored, so the token cannot be read again. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * `generation` is the user's `passGeneration` when the identity was proved. If the user's `passGeneration` has
 * increased since, the pass is invalid from the start.
 */
export type PassHolder = { readonly projectId: string } & (
  | { readonly userId: string; readonly generation: number }
  | { readonly guestId: string }
);

interface Pass {
  readonly projectId: string;
  readonly userId?: string;
  readonly guestId?: string;
  /** The user's `passGeneration` when the pass was issued; 0 for guests. */
  readonly generation: number;
  readonly siteGeneration: number;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

type Holder =
  | { readonly pass: Pass; readonly user?: never; readonly person?: never }
  | { readonly pass: Pass; readonly user: AppUser; readonly person: PersonFacts };

/** Default length of a session, in hours. */
const defaultHours = 7 * 24;
const hourMs = 3_600_000;
const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/**
 * The vault stores the content of a pass under the token's keyed digest until the pass expires; nothing is in the log.
 * Each request compares the pass with the current user and site, so a ban, a deletion or a password reset ends sessions
 * in every process at once.
 */
@Injectable()
export class SitePasses {
  private readonly hearers: ((pass: Pass) => void)[] = [];

  constructor(
    private readonly vault: Vault,
    private readonly users: SiteUsers,
    private readonly store: ReadStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly unchanged: WhileUnchanged,
  ) {}

  /** @throws Refusal site-not-found */
  async issue({ workspaceId }: Pick<OperationContext, 'workspaceId'>, holder: PassHolder): Promise<IssuedPass> {
    const { projectId } = holder;
    const project = await this.projectOf(workspaceId, projectId);
    const expiresAt = this.clock.now() + (project.authSessionHours ?? defaultHours) * hourMs;
    const siteGeneration = project.passGeneration;
    const token = this.ids.token();
    if ('guestId' in holder) {
      await this.save(workspaceId, token, {
        projectId,
        guestId: holder.guestId,
        generation: 0,
        siteGeneration,
        expiresAt,
      });
    } else {
      const { userId, generation } = holder;
      await this.save(workspaceId, token, { projectId, userId, generation, siteGeneration, expiresAt });
    }
    return { token, expiresAt: new Date(expiresAt).toISOString() };
  }

  /**
   * If there is no token, or an invalid one, returns an anonymous visitor.
   * @param onSite whether a page of the site sent the request; treated as true if the pass is valid
   * @throws Refusal site-not-found
   */
  async visitorOf(
    workspaceId: string,
    projectId: string,
    token: string | undefined,
    onSite = false,
  ): Promise<SiteVisitor> {
    const now = this.clock.now();
    const anonymous: SiteVisitor = { workspaceId, projectId, visitor: { now, throughSite: onSite } };
    if (token === undefined) await this.projectOf(workspaceId, projectId);
    const holder =
      token === undefined
        ? undefined
        : await this.unchanged.cached(`pass ${workspaceId}/${projectId} ${token}`, () =>
            this.holderOf(workspaceId, projectId, token),
          );
    if (holder === undefined || holder.pass.expiresAt <= now) return anonymous;
    const { pass, user, person } = holder;
    const session = { ...anonymous, until: pass.expiresAt };
    if (user === undefined) return { ...session, visitor: { now, throughSite: true }, guestId: pass.guestId ?? '' };
    return { ...session, visitor: { now, throughSite: true, person }, user };
  }

  /**
   * Returns the site even if the session has ended. Returns undefined if the token is unknown in this workspace or the
   * site does not exist.
   */
  async siteOf(workspaceId: string, token: string): Promise<string | undefined> {
    const projectId = (await this.read(workspaceId, token))?.projectId;
    const project = projectId === undefined ? undefined : await this.store.get<Project>('projects', projectId);
    return project?.id;
  }

  /** Idempotent. */
  async revoke({ workspaceId }: Pick<OperationContext, 'workspaceId'>, token: string): Promise<void> {
    const pass = await this.read(workspaceId, token);
    if (pass === undefined) return;
    await this.vault.destroy(this.nameOf(workspaceId, token));
    for (const hear of this.hearers) hear(pass);
  }

  /**
   * The callback is called only for sessions that `revoke` ends in this process. The log contains no event for the end
   * of a session.
   */
  onEnd(hear: (whose: Pick<Pass, 'projectId' | 'userId' | 'guestId'>) => void): void {
    this.hearers.push(hear);
  }

  /** Lets this session continue after a change that ends all other sessions of the user. */
  async renew(
    { workspaceId }: Pick<OperationContext, 'workspaceId'>,
    token: string,
    generation: number,
  ): Promise<void> {
    const pass = await this.read(workspaceId, token);
    if (pass?.userId === undefined) return;
    await this.save(workspaceId, token, { ...pass, generation });
  }

  /**
   * Returns undefined if the pass is unknown, is for another site or was invalidated, for example by a ban. Does not
   * check whether the pass has expired.
   * @throws Refusal site-not-found
   */
  private async holderOf(workspaceId: string, projectId: string, token: string): Promise<Holder | undefined> {
    const project = await this.projectOf(workspaceId, projectId);
    const pass = await this.read(workspaceId, token);
    if (pass?.projectId !== projectId || pass.siteGeneration !== project.passGeneration) return undefined;
    if (pass.userId === undefined) return { pass };
    const user = project.authEnabled ? await this.users.find(workspaceId, pass.userId) : undefined;
    const isOver =
      user === undefined || user.projectId !== projectId || user.isBanned || user.passGeneration !== pass.generation;
    return isOver ? undefined : { pass, user, person: await this.users.personOf(user) };
  }

  private async read(workspaceId: string, token: string): Promise<Pass | undefined> {
    if (!tokenForm.test(token)) return undefined;
    const sealed = await this.vault.open(this.nameOf(workspaceId, token));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as Pass);
  }

  private async save(workspaceId: string, token: string, pass: Pass): Promise<void> {
    const sealed = Buffer.from(JSON.stringify(pass));
    await this.vault.seal(this.nameOf(workspaceId, token), sealed, { expiresAt: pass.expiresAt });
  }

  private async projectOf(workspaceId: string, projectId: string): Promise<Project> {
    const read = () => this.store.get<Project>('projects', projectId);
    const project = await this.unchanged.cached(`project ${projectId}`, read);
    return project?.workspaceId === workspaceId ? project : projects.missing();
  }

  private nameOf(workspaceId: string, token: string): string {
    return `site-pass/${workspaceId}/${this.vault.derive(`site-pass/${token}`)}`;
  }
}
