import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SiteHosts } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { canonicalHost } from '../../kernel/text/host-name.js';

/**
 * A reverse proxy asks here whether to obtain a certificate for a host, as Caddy does with `on_demand_tls` (Sites
 * supplement, Where things are served).
 */
@Controller('api/tls/ask')
export class TlsAskController {
  constructor(private readonly hosts: SiteHosts) {}

  @Get()
  async ask(@Query('domain') domain: unknown, @Res() reply: FastifyReply): Promise<void> {
    const name = typeof domain === 'string' ? canonicalHost(domain) : undefined;
    const host = name === undefined || name === '' ? undefined : await this.hosts.find(name);
    reply
      .code(host === undefined ? 404 : 200)
      .header('Cache-Control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(host === undefined ? 'This host is not served here.' : 'This host is served here.');
  }
}
