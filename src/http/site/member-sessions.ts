import { Injectable } from '@nestjs/common';
import type { SiteHost } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { Environment } from '../../config/environment.js';
import { Authenticator } from '../../engine/authorisation/authenticator.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PageCookie } from '../pages/page-cookie.js';

/** Data of a code or a session, which is valid for one host. It ends with the key with which the member signed in. */
interface Held {
  readonly keyId: string;
  readonly projectId: string;
  readonly kind: SiteHost['kind'];
  /** For a code, the digest of the token of the browser that may use it. */
  readonly browser?: string;
}

const codeMs = 60_000;
const lastsSeconds = 12 * 3_600;
const tokenForm = /^[A-Za-z0-9_-]{32}$/;

/**
 * Whether the caller may open previews and apps of the project, for which a member needs edit rights (settled question
 * Q-S61).
 */
export const mayEnter = (caller: Caller | undefined, { workspaceId }: SiteHost['project']): caller is Caller =>
  caller?.kind === 'person' &&
  caller.workspaceId === workspaceId &&
  caller.permissions.has('site.edit') &&
  !caller.readOnly;

/**
 * Sessions of members who look at a preview or use a workspace app. They sign in on the service's host and come to the
 * app's host with a code, which can be used once, within a minute, and in the browser that requested it. The session is
 * valid for that host alone and ends with the key with which it began.
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

  /** Returns undefined if no member is signed in at this host, or no longer is. */
  async find(cookies: string | undefined, { kind, project }: SiteHost): Promise<Caller | undefined> {
    const token = this.cookie.in(cookies);
    const held = token === undefined ? undefined : await this.held('session', token);
    if (held?.projectId !== project.id || held.kind !== kind) return undefined;
    const caller = await this.authenticator.callerBehind(held.keyId);
    return mayEnter(caller, project) ? caller : undefined;
  }

  /**
   * Identifies a browser that asks to enter. Returns a digest to send along, and the cookie that proves its identity
   * later.
   */
  browserOf(cookies: string | undefined): { readonly digest: string; readonly setCookie: string } {
    const token = this.browser.in(cookies) ?? this.ids.token();
    return { digest: this.digestOf(token), setCookie: this.browser.of(token) };
  }

  /** Issues a code for a member who may enter. */
  async code({ keyId }: Caller, { kind, project }: SiteHost, browser: string): Promise<string> {
    const code = this.ids.token();
    await this.keep('code', code, { keyId, projectId: project.id, kind, browser }, codeMs);
    return code;
  }

  /**
   * Redeems a code, and returns the cookies of the new session. Returns undefined if the code is used or expired, or
   * was issued for another host or browser.
   */
  async enter(code: string, cookies: string | undefined, { kind, project }: SiteHost): Promise<string[] | undefined> {
    const token = this.browser.in(cookies);
    if (token === undefined || !tokenForm.test(code)) return undefined;
    const held = await this.held('code', code);
    const isFor = held?.projectId === project.id && held.kind === kind && held.browser === this.digestOf(token);
    if (held === undefined || !isFor || !(await this.use(code))) return undefined;
    const session = this.ids.token();
    const { browser: _, ...kept } = held;
    await this.keep('session', session, kept, lastsSeconds * 1_000);
    return [this.cookie.of(session), this.browser.none()];
  }

  /** Marks the code as used. Returns true for only one of several concurrent callers. */
  private use(code: string): Promise<boolean> {
    return this.vault.seal(this.nameOf('used', code), Buffer.from('1'), {
      ifAbsent: true,
      expiresAt: this.clock.now() + codeMs,
    });
  }

  private async held(kind: 'code' | 'session', token: string): Promise<Held | undefined> {
    const sealed = await this.vault.open(this.nameOf(kind, token));
    return sealed && (JSON.parse(Buffer.from(sealed).toString('utf8')) as Held);
  }

  private async keep(kind: 'code' | 'session', token: string, held: Held, lastsMs: number): Promise<void> {
    const expiresAt = this.clock.now() + lastsMs;
    await this.vault.seal(this.nameOf(kind, token), Buffer.from(JSON.stringify(held)), { expiresAt });
  }

  private digestOf(token: string): string {
    return this.vault.derive(`site-entry/${token}`);
  }

  private nameOf(kind: string, token: string): string {
    return `site-member-${kind}/${this.vault.derive(`site-member/${token}`)}`;
  }
}
