import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SitePasses, type SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import { LiveSessions, type SessionOpening } from '../../areas/realtime/session/live-sessions.api.js';
import type { SiteHost } from '../../areas/sites/project/addresses/site-hosts.api.js';
import { headerOf } from '../header-of.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { refuse } from '../http.refusals.js';
import { MemberSessions } from '../site/member-sessions.js';
import { sentBy } from '../site/site-origin.js';
import { VisitorReadDoor, type VisitorRequest } from '../visitor/visitor-door.js';
import { Visits } from '../visitor/visitor-route.js';
import { OpenSockets } from './open-sockets.js';
import { RealtimeSocket } from './realtime-socket.js';
import { SocketUpgrades } from './socket-upgrades.js';

type SocketOwner = Pick<VisitorRequest, 'project' | 'pass' | 'visitor'> & {
  readonly host: SiteHost | undefined;
  readonly cookies: string | undefined;
};

@Controller('api/app/:projectId')
export class RealtimeController {
  constructor(
    private readonly door: VisitorReadDoor,
    private readonly hosts: RequestHosts,
    private readonly upgrades: SocketUpgrades,
    private readonly sockets: OpenSockets,
    private readonly sessions: LiveSessions,
    private readonly passes: SitePasses,
    private readonly members: MemberSessions,
  ) {}

  @Visits(VisitorReadDoor, {
    method: 'GET',
    path: 'realtime',
    id: 'openRealtime',
    tag: 'realtime',
    summary: 'Opens a WebSocket for messages of channels and changes of rows.',
    description:
      'Messages are JSON texts. Clients that cannot set headers send their session as a subprotocol in addition to `countersign`: `Sec-WebSocket-Protocol: countersign, session.<token>`.',
    answers: 'socket',
    refuses: [
      'websocket-wanted',
      'origin-not-own',
      'origin-not-allowed',
      'site-entry-required',
      'sockets-taken',
      'sockets-of-site',
      'sockets-of-address',
      'sockets-of-visitor',
      'realtime-away',
    ],
  })
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor, pass, address } = this.door.admittedOf(request);
    this.mustBeOfOwnPage(request, project.allowedOrigins);
    this.upgrades.mustBeAsked(request);
    const slot = this.sockets.mustHaveRoom({ projectId: project.id, address, visitor });
    const whose = { project, pass, visitor, host: this.hosts.siteOf(request), cookies: request.headers.cookie };
    try {
      await this.begin(whose, reply, slot);
    } catch (error) {
      slot.leave();
      throw error;
    }
  }

  private async begin(whose: SocketOwner, reply: FastifyReply, slot: { leave(): void }): Promise<void> {
    const { workspaceId, id: projectId, linkedBaseId: baseId } = whose.project;
    let socket: RealtimeSocket | undefined;
    const opening: SessionOpening = {
      workspaceId,
      projectId,
      baseId,
      look: () => this.look(whose),
      send: (message) => socket?.send(message),
      close: (why) => socket?.end(why),
    };
    const session = await this.sessions.begin(opening);
    const leave = () => {
      this.sessions.remove(session);
      slot.leave();
    };
    const opened = await this.upgrades.open(reply);
    if (opened === undefined) return leave();
    socket = this.sockets.add((tools) => new RealtimeSocket(opened, session, tools, leave));
  }

  /**
   * Browsers send the visitor's cookie with WebSocket requests of any page, and make no CORS preflight, so the Origin
   * is checked here. On the service's own host, pages of the site's `allowedOrigins` are accepted. Clients other than
   * browsers send no Origin, or the origin that they call.
   */
  private mustBeOfOwnPage(request: FastifyRequest, allowedOrigins: readonly string[]): void {
    const origin = headerOf(request, 'origin');
    if (origin === undefined || sentBy(request) === 'own') return;
    if (this.hosts.siteOf(request) !== undefined) refuse('origin-not-own');
    if (!allowedOrigins.includes(origin)) refuse('origin-not-allowed');
  }

  /** @throws Refusal site-not-found; site-entry-required if a member has signed out of a preview or an app */
  private async look({ project, pass, visitor: { visitor: first }, host, cookies }: SocketOwner): Promise<SiteVisitor> {
    const seen = await this.passes.visitorOf(project.workspaceId, project.id, pass, first.throughSite);
    if (host === undefined || host.kind === 'site') return seen;
    const member = (await this.members.find(cookies, host)) ?? refuse('site-entry-required');
    return seen.user === undefined ? { ...seen, visitor: { ...seen.visitor, member } } : seen;
  }
}
