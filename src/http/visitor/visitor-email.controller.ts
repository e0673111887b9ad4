import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { VisitorMails } from '../../areas/app-users/visitor-mail/visitor-mail.api.js';
import { Calls } from '../../engine/operation/calls.js';
import { Field } from '../../kernel/field/field.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { visitorBodies } from '../body.js';
import { visitorActorOf } from './visitor-actor.js';
import { type ReadRequest, VisitorAnswers } from './visitor-answers.js';
import { VisitorDoor } from './visitor-door.js';
import { Visits } from './visitor-route.js';
import { SentMail } from './visitor-shapes.js';

const text = { type: 'string', optional: true, maxLength: 262_144 } as const;

export class VisitorMailBody {
  @Field({ type: 'string', maxLength: 1_000 }) to!: string;
  @Field({ type: 'string', optional: true, maxLength: 200 }) template?: string;
  @Field({ type: 'object', optional: true, maxBytes: 100_000 }) variables?: JsonObject;
  @Field({ type: 'string', optional: true, maxLength: 1_000 }) subject?: string;
  @Field(text) html?: string;
  @Field(text) text?: string;
  @Field({ type: 'string', optional: true, maxLength: 1_000 }) replyTo?: string;
}

@Controller('api/app/:projectId')
export class VisitorEmailController {
  constructor(
    private readonly door: VisitorDoor,
    private readonly answers: VisitorAnswers,
    private readonly calls: Calls,
    private readonly mails: VisitorMails,
  ) {}

  @Visits(VisitorDoor, {
    method: 'POST',
    path: 'email/send',
    id: 'sendEmail',
    tag: 'mail',
    summary: 'Sends a mail from a page of the site.',
    body: VisitorMailBody,
    answers: { record: SentMail },
    refuses: [
      'email-send-denied',
      'visitor-hourly-limit',
      'email-template-unknown',
      'site-mail-limit',
      'site-mail-recipient',
      'site-mail-not-sent',
      'visitors-quota',
    ],
    limit: visitorBodies.large,
  })
  async send(@Req() request: ReadRequest, @Res() reply: FastifyReply): Promise<void> {
    const { project, visitor, address } = this.door.admittedOf(request);
    const body = this.answers.inputOf(request, VisitorMailBody);
    const call = this.calls.visiting(project, visitorActorOf(visitor), 'site/sendEmail');
    await this.answers.send(reply, project.workspaceId, () => this.mails.send(call, visitor, address, { ...body }));
  }
}
