import { Injectable } from '@nestjs/common';
import type { SiteHost } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { Environment } from '../../config/environment.js';
import { Authenticator } from '../../engine/authorisation/authenticator.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/**
 * The vault stores these facts for a code or a session. Both are valid only for one host. A session ends when the
 * member's key becomes invalid.
 */
interface SealedFacts {
  readonly keyId: string;
  readonly projectId: string;
  readonly kind: SiteHost['kind'];
  /** Digest of the token in the cookie of the browser that may use the code. Undefined for a session. */
  readonly browser?: string;
}

const codeMs = 60_000;
const lastsSeconds = 12 * 3_600;
const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/**
 * The caller must be a person of the project's workspace, with the permission to edit sites and a key that is not
 * read-only (settled question Q-S61). Keys that are limited to some areas or functions may not enter, because a preview
 * or app reaches all of the project's functions and rows, and functions of the workspace.
 */
export const mayEnter = (caller: Caller | undefined, { workspaceId }: SiteHost['project']): caller is Caller =>
  caller?.kind === 'person' &&
  caller.workspaceId === workspaceId &&
  caller.permissions.has('site.edit') &&
  !caller.readOnly &&
  caller.areas === undefined &&
  caller.functions === undefined;

/**
 * A member signs in on the service's own host and gets a code, which is valid once, for a minute, and only in the
 * browser that requested it. The code is exchanged for a session, which is valid only on the host of the preview or
 * app, and while the member's key is valid.
 */
@Injectable()
export class MemberSessions {
  private readonly cookie: PageCookie;
  private readonly browser: PageCookie;

  constructor(
    private readonly vault: Vault,
    private readonly authenticator: Authenticator,
    private readonly ids: Ids,
    private readonly clock: Clock,
    environment: Environment,
  ) {
    this.cookie = new PageCookie(environment, { name: 'site_member', lastsSeconds, sameSite: 'Lax' });
    this.browser = new PageCookie(environment, { name: 'site_entry', lastsSeconds: 600, sameSite: 'Lax' });
  }

  /** Returns undefined if the member may no longer open the preview or app. */
  async find(cookies: string | undefined, { kind, project }: SiteHost): Promise<Caller | undefined> {
    const token = this.cookie.tokenIn(cookies);
    const facts = token === undefined ? undefined : await this.read('session', token);
    if (facts?.projectId !== project.id || facts.kind !== kind) return undefined;
    const caller = await this.authenticator.callerBehind(facts.keyId);
    return mayEnter(caller, project) ? caller : undefined;
  }

  browserOf(cookies: string | undefined): { readonly digest: string; readonly setCookie: string } {
    const token = this.browser.tokenIn(cookies) ?? this.ids.token();
    return { digest: this.digestOf(token), setCookie: this.browser.headerFor(token) };
  }

  /** The caller must have checked that the member may open the preview or app. */
  async code({ keyId }: Caller, { kind, project }: SiteHost, browser: string): Promise<string> {
    const code = this.ids.token();
    await this.store('code', code, { keyId, projectId: project.id, kind, browser }, codeMs);
    return code;
  }

  /**
   * Returns the Set-Cookie headers of a session. Returns undefined if the code is unknown, used or expired, or if it is
   * for another host or browser.
   */
  async enter(code: string, cookies: string | undefined, { kind, project }: SiteHost): Promise<string[] | undefined> {
    const token = this.browser.tokenIn(cookies);
    if (token === undefined || !tokenForm.test(code)) return undefined;
    const facts = await this.read('code', code);
    const isFor = facts?.projectId === project.id && facts.kind === kind && facts.browser === this.digestOf(token);
    if (facts === undefined || !isFor || !(await this.use(code))) return undefined;
    const session = this.ids.token();
    const { browser: _, ...sessionFacts } = facts;
    await this.store('session', session, sessionFacts, lastsSeconds * 1_000);
    return [this.cookie.headerFor(session), this.browser.none()];
  }

  /** Returns true only for the first call with this code. */
  private use(code: string): Promise<boolean> {
    return this.vault.seal(this.nameOf('used', code), Buffer.from('1'), {
      ifAbsent: true,
      expiresAt: this.clock.now() + codeMs,
    });
  }

  private async read(kind: 'code' | 'session', token: string): Promise<SealedFacts | undefined> {
    const sealed = await this.vault.open(this.nameOf(kind, token));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as SealedFacts);
  }

  private async store(kind: 'code' | 'session', token: string, facts: SealedFacts, lastsMs: number): Promise<void> {
    const expiresAt = this.clock.now() + lastsMs;
    await this.vault.seal(this.nameOf(kind, token), Buffer.from(JSON.stringify(facts)), { expiresAt });
  }

  private digestOf(token: string): string {
    return this.vault.derive(`site-entry/${token}`);
  }

  private nameOf(kind: string, token: string): string {
    return `site-member-${kind}/${this.vault.derive(`site-member/${token}`)}`;
  }
}
