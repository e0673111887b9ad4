import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Authenticator } from '../../engine/authenticator.js';
import type { Caller } from '../../kernel/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { Ids } from '../../ports/ids.port.js';
import { Vault } from '../../ports/vault.port.js';

export interface PageSession {
  /** The cookie's value; nowhere else, and never shown. */
  readonly token: string;
  readonly caller: Caller;
  /** Stands in every form of this session, and in no other's. */
  readonly formToken: string;
}

const lastsSeconds = 12 * 3_600;

/**
 * Who is signed in. The cookie holds a random token; under its digest the vault keeps, sealed, the id of the key that
 * was shown. Neither leads to the key. Who that key stands for is looked up at every request, so that a session ends
 * with its key, in every process.
 */
@Injectable()
export class PageSessions {
  private readonly cookie: string;
  private readonly secure: string;

  constructor(
    private readonly vault: Vault,
    private readonly authenticator: Authenticator,
    private readonly ids: Ids,
    private readonly clock: Clock,
    environment: Environment,
  ) {
    const isHttps = environment.baseUrl.startsWith('https:');
    // With the prefix, a browser takes the cookie from this host alone and over TLS alone.
    this.cookie = isHttps ? '__Host-countersign' : 'countersign';
    this.secure = isHttps ? '; Secure' : '';
  }

  /** Undefined alike for a key that is unknown, revoked or expired, and for one that is not a person's own. */
  async begin(key: string): Promise<PageSession | undefined> {
    const caller = await this.authenticator.callerOf(key);
    if (caller?.kind !== 'person') return undefined;
    const token = this.ids.token();
    const expiresAt = this.clock.now() + lastsSeconds * 1_000;
    await this.vault.seal(this.nameOf(token), Buffer.from(caller.keyId), { expiresAt });
    return this.session(token, caller);
  }

  /** By the Cookie header. */
  async find(cookies: string | undefined): Promise<PageSession | undefined> {
    const token = this.tokenIn(cookies ?? '');
    if (token === undefined) return undefined;
    const keyId = await this.vault.open(this.nameOf(token));
    if (keyId === undefined) return undefined;
    const caller = await this.authenticator.callerBehind(Buffer.from(keyId).toString());
    return caller && this.session(token, caller);
  }

  /** May be repeated. */
  async end(cookies: string | undefined): Promise<void> {
    const token = this.tokenIn(cookies ?? '');
    if (token !== undefined) await this.vault.destroy(this.nameOf(token));
  }

  isFormOf({ formToken }: PageSession, sent: string): boolean {
    const [own, other] = [Buffer.from(formToken), Buffer.from(sent)];
    return own.length === other.length && timingSafeEqual(own, other);
  }

  /** Set-Cookie. Lax, so that who follows a link in a mail is still signed in; no form of another site brings it. */
  cookieOf({ token }: PageSession): string {
    return `${this.cookie}=${token}; Path=/; Max-Age=${lastsSeconds}; HttpOnly; SameSite=Lax${this.secure}`;
  }

  noCookie(): string {
    return `${this.cookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${this.secure}`;
  }

  private session(token: string, caller: Caller): PageSession {
    return { token, caller, formToken: this.vault.derive(`page-form/${token}`) };
  }

  private nameOf(token: string): string {
    return `page-session/${this.vault.derive(`page-session/${token}`)}`;
  }

  private tokenIn(cookies: string): string | undefined {
    for (const pair of cookies.split(';')) {
      const [name, value = ''] = pair.trim().split('=');
      if (name === this.cookie && /^[A-Za-z0-9_-]{32}$/.test(value)) return value;
    }
    return undefined;
  }
}
