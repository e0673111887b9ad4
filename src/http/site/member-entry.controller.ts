import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type SiteHost, SiteHosts } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { SiteOrigins } from '../../areas/sites/project/addresses/site-origins.api.js';
import { refuse } from '../http.refusals.js';
import type { PageRequest } from '../pages/page-request.js';
import { SignedInPages } from '../pages/signed-in.js';
import { continuePath, entryPath } from './member-entry.js';
import { MemberSessions, mayEnter } from './member-sessions.js';

const browserForm = /^[A-Za-z0-9_-]{32}$/;

/** Members are redirected from here to the host of the preview or app. These routes send no content of sites. */
@Controller()
export class MemberEntryController {
  constructor(
    private readonly signedIn: SignedInPages,
    private readonly hosts: SiteHosts,
    private readonly origins: SiteOrigins,
    private readonly sessions: MemberSessions,
  ) {}

  @Get('preview/:projectId')
  async preview(
    @Param('projectId') id: string,
    @Req() request: PageRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.enter(request, reply, async () => {
      const project = await this.hosts.projectOf(id);
      return project && { kind: 'preview', project };
    });
  }

  @Get('app/:handle/:slug')
  async app(
    @Param('handle') handle: string,
    @Param('slug') slug: string,
    @Req() request: PageRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.enter(request, reply, async () => {
      const project = await this.hosts.appOf(handle, slug);
      return project && { kind: 'app', project };
    });
  }

  private async enter(request: PageRequest, reply: FastifyReply, find: () => Promise<SiteHost | undefined>) {
    const { pathname, search, searchParams } = new URL(request.url, 'http://here');
    const signedIn = await this.signedIn.page(request, reply, `${pathname}${search}`);
    if (signedIn === undefined) return;
    const host = await find();
    const { caller } = signedIn.session;
    if (host === undefined || !mayEnter(caller, host.project)) return refuse('site-entry-not-found');
    const origin = await this.origins.ofHost(host);
    const browser = searchParams.get('browser') ?? '';
    const query = new URLSearchParams({ next: continuePath(searchParams) });
    if (browserForm.test(browser)) query.set('code', await this.sessions.code(caller, host, browser));
    reply
      .code(303)
      .headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
      .header('Location', `${origin}${entryPath}?${query}`)
      .send();
  }
}
