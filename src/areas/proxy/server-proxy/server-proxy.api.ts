import { Injectable } from '@nestjs/common';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { Clock } from '../../../ports/clock.port.js';
import { Egress, EgressFailed, EgressRefused, type EgressResponse } from '../../../ports/network/egress.port.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import { type GrantedSecret, isPaymentVariable } from '../../../secret-text/granted-secret.js';
import { destinationOf } from '../../../secret-text/secret-destination.js';
import { SiteAccess } from '../../access/judging/site-access.api.js';
import type { Visitor } from '../../access/judging/visitor.api.js';
import { SavedSiteRules } from '../../access/site-rules/site-rules.api.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { hopFiller, newToken } from '../../functions/run-secrets/hop-filler.api.js';
import { SecretsOfRuns } from '../../functions/run-secrets/secrets-of-runs.api.js';
import { refuse } from '../proxy.refusals.js';
import { type ProxiedAnswer, proxiedAnswer } from './proxied-answer.js';
import {
  leadsElsewhere,
  type ProxiedRequest,
  requestContent,
  secretsIn,
  usualTimeout,
  writtenRequest,
} from './proxied-request.js';
import { RequestsAtOnce, type Share } from './requests-at-once.js';

interface Site {
  readonly workspaceId: string;
  readonly projectId: string;
}

interface Sender extends Site {
  /** Only secrets whose `useRules` admit this visitor can be sent. Without a visitor, `useRules` do not apply. */
  readonly visitor?: Visitor;
  /** Whether secrets without a list of hosts may be sent to any host (Q-S109). */
  readonly isUnlimited: boolean;
  readonly shares: readonly Share[];
}

const guessesAnHour = { burst: 3, fillMs: 3_600_000 };

@Injectable()
export class ServerProxy {
  private readonly atOnce: RequestsAtOnce;
  /**
   * Limits how many answers per hour may contain a secret that is short or simple enough to be guessed. Each such
   * answer is refused. Without the limit, a caller could try many values and learn the right one from the refusal.
   */
  private readonly guesses: RateLimit;

  constructor(
    private readonly rules: SavedSiteRules,
    private readonly access: SiteAccess,
    private readonly secrets: SecretsOfRuns,
    private readonly egress: Egress,
    clock: Clock,
  ) {
    this.atOnce = new RequestsAtOnce(clock);
    this.guesses = new RateLimit(guessesAnHour, clock);
  }

  /**
   * Sends for a member, or for a key or agent that acts for one.
   * @throws Refusal proxy-…, invalid-input
   */
  async send(site: Site, caller: Caller | undefined, sent: ProxiedRequest): Promise<ProxiedAnswer> {
    const isAdmin = caller?.role === 'owner' || caller?.role === 'admin';
    const shares = [{ name: `members ${site.workspaceId}`, most: 32 }];
    return this.sent({ ...site, isUnlimited: caller?.kind === 'person' && isAdmin, shares }, sent);
  }

  /** @throws Refusal proxy-…, invalid-input */
  async sendFor(visiting: SiteVisitor, address: string, sent: ProxiedRequest): Promise<ProxiedAnswer> {
    const { workspaceId, projectId, visitor } = visiting;
    await this.mustBeAllowed(visiting);
    const shares = [
      { name: `visitor ${projectId} ${address}`, most: 8 },
      { name: `site ${projectId}`, most: 16 },
      { name: 'visitors', most: 32 },
    ];
    // `useRules` do not apply in a preview, because its requests act for the owner. But they are sent by the page's
    // code, not by the member, so secrets can be sent only to the hosts in their own lists.
    const { member, ...asVisitor } = visitor;
    const judged = member === undefined ? { visitor: asVisitor } : {};
    return this.sent({ workspaceId, projectId, isUnlimited: false, shares, ...judged }, sent);
  }

  private async mustBeAllowed({ workspaceId, projectId, visitor }: SiteVisitor): Promise<void> {
    if (visitor.member !== undefined) return;
    const { proxy } = await this.rules.of(workspaceId, projectId);
    const resource = { type: 'proxy', id: projectId, name: 'server proxy' } as const;
    const condition = proxy?.execute ?? null;
    const about = { workspaceId, projectId, place: 'proxy', condition, visitor, resource } as const;
    const verdict = await this.access.judge(about);
    if (verdict.isAllowed) return;
    const denied = { code: 'proxy-denied', resource: { kind: 'proxy', id: projectId, operation: 'execute' } } as const;
    refuse(denied.code, undefined, { decisionId: await this.access.decisionOn(about, verdict, denied) });
  }

  private async sent(sender: Sender, sent: ProxiedRequest): Promise<ProxiedAnswer> {
    const { workspaceId, projectId, visitor, shares, isUnlimited } = sender;
    const written = writtenRequest(sent);
    const names = secretsIn(written);
    for (const name of names.keys()) {
      if (isPaymentVariable(name)) refuse('proxy-secret-denied', { problem: paymentOnly(name) });
    }
    const guessing = `${projectId} ${visitor === undefined ? 'members' : 'visitors'}`;
    if (names.size > 0 && !this.guesses.hasOne(guessing)) refuse('proxy-secret-shown');
    const tokens = new Map([...names.keys()].map((name) => [name, newToken()]));
    const content = requestContent(written, tokens);
    if (leadsElsewhere(content.url, tokens.values())) {
      refuse(
        'proxy-request-refused',
        { problem: 'the host of the URL must not contain a secret; write the host itself.' },
        { at: 'url' },
      );
    }
    const host = hostOf(content.url);
    // The secrets are granted for the host of the first request only, so they are not sent again after a redirect to
    // another host (Q-S108).
    const listed = [...names.keys()].map((name) => ({
      name,
      hosts: host === undefined ? [] : [host],
      ...(isUnlimited ? { opened: true as const } : {}),
    }));
    return this.atOnce.within(shares, async () => {
      const { granted: all, hiding } = await this.secrets.of(workspaceId, listed, { projectId, visitor });
      const granted = new Map([...all].map(([name, one]) => [name, unlimited(one)]));
      const tokenised = [...names].map(([name, at]) => {
        const secret = granted.get(name);
        if (secret === undefined) refuse('proxy-secret-denied', { problem: notTheirs(name) });
        const value = secret.value ?? refuse('proxy-secret-unknown', { name: name.slice(0, 100) }, { at });
        return { token: tokens.get(name) ?? '', value, secret: name };
      });
      const fill = hopFiller({ tokens: tokenised, granted, whose: 'server proxy', inBody: written.inBody });
      const answer = await this.answered({
        ...content,
        method: sent.method ?? 'GET',
        limits: { timeoutMs: sent.timeout ?? usualTimeout },
        ...(fill === undefined ? {} : { fill }),
      });
      const shown = await proxiedAnswer(answer, hiding);
      if (shown === undefined) this.guesses.consume(guessing);
      // Parallel requests may have used up the limit. Then the answer must not tell whether it contained a secret.
      else if (names.size === 0 || this.guesses.hasOne(guessing)) return shown;
      return refuse('proxy-secret-shown');
    });
  }

  private async answered(request: Parameters<Egress['send']>[0]): Promise<EgressResponse> {
    try {
      return await this.egress.send(request);
    } catch (error) {
      if (error instanceof CapabilityRefused) refuse('proxy-secret-denied', { problem: error.message });
      if (error instanceof EgressFailed) refuse('proxy-failed', { problem: error.message });
      if (!(error instanceof EgressRefused)) throw error;
      const at = wrongParts[error.kind];
      if (at !== undefined) refuse('proxy-request-refused', { problem: error.message }, { at });
      return refuse('proxy-not-followed', { problem: error.message });
    }
  }
}

const wrongParts: Readonly<Partial<Record<EgressRefused['kind'], string>>> = {
  url: 'url',
  method: 'method',
  header: 'headers',
  'too-large': 'body',
};

/**
 * Returns the host in the form of a secret's list of hosts, with the port unless it is 443. Returns undefined if the
 * URL is not a web address.
 */
function hostOf(url: string): string | undefined {
  const to = destinationOf(url);
  return to && (to.port === 443 ? to.host : `${to.host}:${to.port}`);
}

const unlimited = (secret: GrantedSecret): GrantedSecret =>
  secret.allowedHosts === 'any' ? { ...secret, allowedHosts: secret.hosts } : secret;

const paymentOnly = (name: string) =>
  `Nothing was sent: ${name} is only for the payment processor; secrets whose names begin with PAYMENT_ are never filled in.`;

const notTheirs = (name: string) =>
  `Nothing was sent: you may not use the secret ${name}; sign in, or ask the owner of the site.`;
