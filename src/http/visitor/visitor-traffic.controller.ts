import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { VisitCounting } from '../../areas/sites/traffic/visit-counting.api.js';
import { Field } from '../../kernel/field/field.js';
import { visitorBodies } from '../body.js';
import { headerOf } from '../header-of.js';
import { requestHost } from '../hosts/request-host.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor } from './visitor-door.js';
import { Visits } from './visitor-route.js';

const longest = 8_000;

export class TrafficBody {
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: longest,
    description: 'Path of the page. A query or fragment is dropped.',
  })
  path!: string;
  @Field({
    type: 'string',
    maxLength: longest,
    optional: true,
    nullable: true,
    description: 'Referring URL. Only its host is recorded.',
  })
  referrer?: string | null;
}

@Controller('api/app/:projectId')
export class VisitorTrafficController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly answers: VisitorAnswers,
    private readonly counting: VisitCounting,
  ) {}

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'traffic',
    id: 'countVisit',
    tag: 'traffic',
    summary: 'Counts a page view. Needs no cookie and no consent, and stores no personal data.',
    body: TrafficBody,
    answers: 'nothing',
    status: 204,
    refuses: ['visitors-quota'],
    limit: visitorBodies.small,
  })
  async count(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor, address } = this.door.admittedOf(request);
    const { path, referrer } = this.answers.inputOf(request, TrafficBody);
    const agent = headerOf(request, 'user-agent') ?? '';
    const { name: host = '' } = requestHost(request.raw);
    if (visitor.visitor.member === undefined) {
      await this.counting.count(project, { path, referrer: referrer ?? null, host, address, agent });
    }
    reply.code(204).header('Cache-Control', 'no-store').send();
  }
}
