import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { Authenticator } from '../../engine/authorisation/authenticator.js';
import { RateLimit } from '../../engine/quotas/rate-limit.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { Clock } from '../../ports/clock.port.js';
import { refusalOf, refuse } from '../http.refusals.js';
import { addressOf } from './address-of.js';
import { WrongTries } from './wrong-tries.js';

/** Length of a burst, in milliseconds: the calls that the rate allows in this time may be made at once. */
const burstMs = 5_000;

type Limited = 'key-rate' | 'workspace-rate' | 'webhook-rate' | 'file-rate' | 'visitor-rate' | 'site-rate';

/** Authenticates callers and enforces rate limits, which are per process. */
@Injectable()
export class Callers {
  private readonly wrong: WrongTries;
  private readonly rates: Readonly<Record<Limited, RateLimit>>;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly environment: Environment,
    clock: Clock,
  ) {
    const { wrongKeys, keyRate, workspaceRate, webhookRate, visitorRate, siteRate } = environment.edge;
    this.wrong = new WrongTries(wrongKeys, 60_000, clock, (seconds) =>
      refuse('wrong-keys-limited', { seconds }, { retryAfterSeconds: seconds }),
    );
    const rate = (aSecond: number) => new RateLimit({ burst: (aSecond * burstMs) / 1_000, fillMs: burstMs }, clock);
    this.rates = {
      'key-rate': rate(keyRate),
      'workspace-rate': rate(workspaceRate),
      'webhook-rate': rate(webhookRate),
      'file-rate': rate(webhookRate),
      'visitor-rate': rate(visitorRate),
      'site-rate': rate(siteRate),
    };
  }

  /**
   * The request counts towards the rate limits.
   * @throws Refusal key-missing, key-invalid, wrong-keys-limited, key-rate, workspace-rate
   */
  async callerOf(request: FastifyRequest): Promise<Caller> {
    const key = keyIn(request);
    const address = addressOf(request, this.environment);
    const caller = await this.wrong.judge(address, key, () => this.authenticator.callerOf(key));
    if (caller === undefined) return refuse('key-invalid');
    this.mayCall(caller);
    return caller;
  }

  /**
   * Checks the key of a request again. This does not count towards the rate limits.
   * @throws Refusal key-missing, key-invalid
   */
  async still(request: FastifyRequest): Promise<Caller> {
    return (await this.authenticator.callerOf(keyIn(request))) ?? refuse('key-invalid');
  }

  /** @throws Refusal key-rate, workspace-rate */
  mayCall({ keyId, workspaceId }: Caller): void {
    this.enforce('key-rate', keyId);
    this.enforce('workspace-rate', workspaceId);
  }

  /** @throws Refusal webhook-rate, workspace-rate */
  mayDeliver({ id, workspaceId }: { readonly id: string; readonly workspaceId: string }): void {
    this.enforce('webhook-rate', id);
    this.enforce('workspace-rate', workspaceId);
  }

  /**
   * Visitors request most transfers, so transfers do not use up the workspace's rate.
   * @throws Refusal file-rate
   */
  maySendFile(projectId: string): void {
    this.enforce('file-rate', projectId);
  }

  /**
   * Counts towards the limits of the visitor and the site, not towards the workspace's rate.
   * @throws Refusal visitor-rate, site-rate
   */
  mayVisit(projectId: string, address: string): void {
    this.enforce('visitor-rate', `${projectId} ${address}`);
    this.enforce('site-rate', projectId);
  }

  /** Like `mayVisit`, but returns false instead of refusing, and then counts nothing. */
  mayVisitNow(projectId: string, address: string): boolean {
    const [ofVisitor, ofSite] = [this.rates['visitor-rate'], this.rates['site-rate']];
    const visitor = `${projectId} ${address}`;
    return ofSite.hasOne(projectId) && ofVisitor.consume(visitor) === 0 && ofSite.consume(projectId) === 0;
  }

  private enforce(limit: Limited, key: string): void {
    this.rates[limit].enforce(key, () => refusalOf(limit));
  }
}

function keyIn({ headers }: FastifyRequest): string {
  return /^Bearer +([\x21-\x7e]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? refuse('key-missing');
}
