import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProxiedAnswerShape, proxyInput } from '../../areas/proxy/server-proxy/proxy-shapes.api.js';
import { ServerProxy } from '../../areas/proxy/server-proxy/server-proxy.api.js';
import { shapeOf } from '../../kernel/field/field.js';
import { visitorBodies } from '../body.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor } from './visitor-door.js';
import { Visits } from './visitor-route.js';

const ProxyBody = shapeOf('ProxyBody', proxyInput);

@Controller('api/app/:projectId')
export class VisitorProxyController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly answers: VisitorAnswers,
    private readonly proxy: ServerProxy,
  ) {}

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'proxy',
    id: 'proxy',
    tag: 'proxy',
    summary: 'Sends an HTTP request from the server, if the execute rule of the server proxy admits the visitor.',
    description:
      '{{secret:NAME}} in the URL, a header or a text of the body is replaced by that secret of the site, if the host is among its allowed hosts.',
    body: ProxyBody,
    answers: { record: ProxiedAnswerShape },
    refuses: [
      ...['proxy-denied', 'proxy-busy', 'proxy-request-refused', 'proxy-secret-unknown', 'proxy-secret-denied'],
      ...['proxy-secret-shown', 'proxy-not-followed', 'proxy-failed'],
    ] as const,
    limit: visitorBodies.proxied,
  })
  async send(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor, address } = this.door.admittedOf(request);
    const body = this.answers.inputOf(request, ProxyBody);
    await this.answers.send(reply, project.workspaceId, () => this.proxy.sendFor(visitor, address, body));
  }
}
