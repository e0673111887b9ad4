import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../areas/access/judging/visitor.api.js';
import type { Webhook } from '../../areas/triggers/webhook/webhook.record.js';
import { mustUse } from '../allowed-methods.js';
import { deliveryLimitOf } from '../body.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { SiteSessions } from '../visitor/site-sessions.js';
import { WebhookIngress } from './webhook-ingress.js';
import { WebhookVisitors } from './webhook-visitors.js';

interface Delivery extends Admission {
  readonly webhook: Webhook;
  readonly visitor: Visitor | undefined;
}

/**
 * The webhook must be active and within its rate limit. On a site's host, it must run a function of that site. The
 * access rules of the function must admit the visitor if the request has a site session.
 */
@Injectable()
export class WebhookDoor extends Door<Delivery> {
  constructor(
    private readonly ingress: WebhookIngress,
    private readonly callers: Callers,
    private readonly visitors: WebhookVisitors,
    private readonly hosts: RequestHosts,
    private readonly sessions: SiteSessions,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Delivery> {
    mustUse(request, 'POST');
    const { params, headers } = request;
    const webhook = await this.ingress.webhookOf((params as { readonly token: string }).token);
    const site = this.hosts.siteOf(request);
    if (site !== undefined) await this.visitors.mustBeOf(webhook, site.project.id);
    this.callers.mayDeliver(webhook);
    const { pass } = this.sessions.sessionOf(request);
    const visitor = pass === undefined ? undefined : await this.visitors.admitted(webhook, pass);
    const share = { of: 'stranger', name: `webhook ${webhook.id}` } as const;
    return { webhook, visitor, share, limit: deliveryLimitOf(headers['content-type']) };
  }
}
