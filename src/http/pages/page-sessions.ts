import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Authenticator } from '../../engine/authorisation/authenticator.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { equalInConstantTime } from '../../kernel/text/same-text.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';
import { PageCookie } from './page-cookie.js';

export interface PageSession {
  readonly token: string;
  readonly caller: Caller;
  /** Protects against forged requests. */
  readonly formToken: string;
}

const lastsSeconds = 12 * 3_600;

/**
 * The vault stores, under the hash of the cookie's random token, the id of the API key with which the person signed in.
 * The key is checked at every request, so a revoked key ends its sessions in every process.
 */
@Injectable()
export class PageSessions {
  private readonly cookie: PageCookie;

  constructor(
    private readonly vault: Vault,
    private readonly authenticator: Authenticator,
    private readonly ids: Ids,
    private readonly clock: Clock,
    environment: Environment,
  ) {
    // With `Lax`, people who follow a link in a mail remain signed in, but forms of other sites do not send the cookie.
    this.cookie = new PageCookie(environment, { name: 'countersign', lastsSeconds, sameSite: 'Lax' });
  }

  /** Returns undefined if the key is unknown, revoked or expired, or does not belong to a person. */
  async begin(key: string): Promise<PageSession | undefined> {
    const caller = await this.authenticator.callerOf(key);
    if (caller?.kind !== 'person') return undefined;
    const token = this.ids.token();
    const expiresAt = this.clock.now() + lastsSeconds * 1_000;
    await this.vault.seal(this.nameOf(token), Buffer.from(caller.keyId), { expiresAt });
    return this.session(token, caller);
  }

  async find(cookies: string | undefined): Promise<PageSession | undefined> {
    const token = this.cookie.tokenIn(cookies);
    if (token === undefined) return undefined;
    const keyId = await this.vault.open(this.nameOf(token));
    if (keyId === undefined) return undefined;
    const caller = await this.authenticator.callerBehind(Buffer.from(keyId).toString());
    return caller && this.session(token, caller);
  }

  async revoke(cookies: string | undefined): Promise<void> {
    const token = this.cookie.tokenIn(cookies);
    if (token !== undefined) await this.vault.destroy(this.nameOf(token));
  }

  isFormOf({ formToken }: PageSession, sent: string): boolean {
    return equalInConstantTime(formToken, sent);
  }

  cookieOf({ token }: PageSession): string {
    return this.cookie.headerFor(token);
  }

  noCookie(): string {
    return this.cookie.none();
  }

  private session(token: string, caller: Caller): PageSession {
    return { token, caller, formToken: this.vault.derive(`page-form/${token}`) };
  }

  private nameOf(token: string): string {
    return `page-session/${this.vault.derive(`page-session/${token}`)}`;
  }
}
